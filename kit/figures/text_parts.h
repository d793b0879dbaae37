// What the texts of all figures are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinds.h"
#include "ranges.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/text.h"
#include "ringside/figures/whole.h"

namespace ringside::figure {

inline constexpr size_t kMostRows = 40;   // of a table, bars, boxes, lanes
inline constexpr size_t kMostNotes = 12;  // links, arrows

// Characters in cells, each with its ink: pictures of blocks.
class Canvas {
 public:
  Canvas(size_t columns, size_t rows) : columns_(columns), cells_(columns * rows) {}
  size_t columns() const { return columns_; }
  size_t rows() const { return cells_.size() / columns_; }
  // Outside it, nothing happens.
  void put(size_t column, size_t row, std::string_view letter, Ink ink = Ink::kText);
  void write(size_t column, size_t row, std::string_view text, Ink ink = Ink::kText);  // a letter a cell
  void dot(size_t x, size_t y, Ink ink);  // one of 2 x 4 Braille dots a cell; row 0 is the topmost
  std::string line(size_t row, bool colour) const;

 private:
  struct Cell {
    std::string letter;
    unsigned dots = 0;
    Ink ink = Ink::kText;
  };
  size_t columns_;
  std::vector<Cell> cells_;  // (rows, columns)
};

// Lines, put together.
class TextBlock {
 public:
  TextBlock(int wide, bool coloured) : width(size_t(wide < 40 ? 40 : wide)), colour(coloured) {}
  const size_t width;
  const bool colour;
  void line(std::string content);                                  // without blanks at its end
  void wrapped(const std::string& content, size_t indent);         // all of it indented
  void items(const std::vector<std::string>& all, size_t indent);  // side by side; none is broken
  void more(size_t left_out, std::string_view of_what);            // "... 12 more rows"; nothing for 0
  std::string paint(const std::string& words, Ink ink) const { return painted(words, ink, colour); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string clean(std::string_view text);                // no control characters: one line
std::string cut(std::string_view text, size_t columns);  // clean, and "lon…" where it is longer
std::string repeated(std::string_view letter, size_t times);
std::string_view fill_of(Ink ink);  // a block that tells inks apart without colour: █ ▓ ▒ ░ ...
std::string axis_title(const Axis& axis);  // "ranks N", "memory, Ψ"; bytes and seconds stand at the ticks
Unit tick_unit(const Axis& axis, bool whole = false);
std::string title_of(const TableColumn& column);  // with its unit
std::string letter_of_line(size_t nth);  // a, b, ...
std::string_view shade_of(double part);  // of five, from ' ' at 0 to '█' at 1
// Where a value lies on `columns` columns; none where it has no place.
std::optional<size_t> column_of(double value, Range range, bool log, size_t columns);
// Ticks below a picture of `columns` columns: their labels as one line, behind `indent` blanks.
std::string tick_line(const Axis& axis, Range range, size_t columns, size_t indent, bool whole = false);

}  // namespace ringside::figure
