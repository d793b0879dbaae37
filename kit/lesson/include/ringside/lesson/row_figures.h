// Figures of recorded rows, as a FigureOf's value (lesson_of.h): of all sections, in the order of recording.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/rows.h"

namespace ringside::inline kit {

using FigureValue = std::function<figure::Value(const FigureInput&)>;

// table_of_each(cells_of_loan, {"book", "pages []"}): a line of cells for each row, under these titles.
template <typename Row>
FigureValue table_of_each(std::vector<figure::TableCell> (*cells_of)(const Row&),
                          std::vector<std::string> titles) {
  return [cells_of, titles = std::move(titles)](const FigureInput& input) {
    figure::Table table{figure::columns(titles), {}};
    for (const Row& row : rows_in<Row>(input.trace)) table.rows.push_back(cells_of(row));
    return table;
  };
}

// A bar for each row; several parts stand beside each other, in these hues. A later bar takes the place of
// an earlier one of its name.
template <typename Row>
FigureValue bars_of_each(figure::BarRow (*bar_of)(const Row&), figure::Axis value,
                         const std::vector<std::string>& parts,
                         const std::vector<size_t>& hues = {0, 1, 2, 3, 4}) {
  figure::Bars empty{std::move(value), {}, {}, parts.size() == 1};
  for (size_t i = 0; i < parts.size(); ++i) empty.parts.push_back({parts[i], figure::hue(hues.at(i))});
  return [bar_of, empty = std::move(empty)](const FigureInput& input) {
    figure::Bars bars = empty;
    for (const Row& row : rows_in<Row>(input.trace)) {
      figure::BarRow bar = bar_of(row);
      const auto same = std::ranges::find(bars.rows, bar.name, &figure::BarRow::name);
      (same == bars.rows.end() ? bars.rows.emplace_back() : *same) = std::move(bar);
    }
    return bars;
  };
}

}  // namespace ringside::inline kit
