// Short ways to declare a figure.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

bool is_empty(const Value& value);                      // it has no line, row, node, ...
Value or_nothing(Value value, const std::string& why);  // Nothing{why} where it is empty
Listing listing_of(const std::string& text);            // its lines, none of them with a value yet
// By their titles; one of numbers has its unit in brackets: {"stage", "left [GB]", "calls []"}.
std::vector<TableColumn> columns(const std::vector<std::string>& titles);

// Rows of boxes under a heading, right of those that `all` has, with a gap between. rows: one at least
void add_beside(Boxes& all, const std::string& heading, const std::vector<std::vector<Box>>& rows);

TableCell count_cell(int64_t number);
// Cells of such a table: a whole number as a count, another one with so many decimals.
TableCell cell(double number, int decimals = 2);
TableCell cell(std::integral auto number) { return count_cell(int64_t(number)); }
TableCell bytes_cell(double bytes);  // "1.50 MiB"
inline TableCell cell(std::string text) { return {std::move(text)}; }
inline TableCell cell(const char* text) { return {text}; }
inline TableCell cell(TableCell made) { return made; }
template <typename... T>
std::vector<TableCell> cells(const T&... of) {
  return {cell(of)...};
}

// A point a row, by two of its members or functions of it.
template <typename Row, typename X, typename Y>
std::vector<Point> points_of(const std::vector<Row>& rows, const X& x, const Y& y) {
  std::vector<Point> points;
  for (const Row& row : rows)
    points.push_back({static_cast<double>(std::invoke(x, row)), double(std::invoke(y, row))});
  return points;
}

// The means of stretches of a line, each a `parts`-th of it long, at their last points, without what is left
// over; of a line that is shorter, its points.
std::vector<Point> means_of(const std::vector<Point>& line, size_t parts);

}  // namespace ringside::figure
