// Tables that sort and copy. Only the rows that are seen are asked for their text,
// so that a hundred thousand cost what a screenful costs.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::ui {

class Table {
 public:
  using Column = figure::TableColumn;
  using Cell = figure::TableCell;
  struct Rows {
    size_t count = 0;
    std::function<Cell(size_t row, size_t column)> cell;
    uint64_t version = 0;                         // another one, or another count: the order is found anew
    std::function<bool(size_t row)> highlighted;  // none: no row is
  };
  struct Drawn {
    int64_t hovered = -1, clicked = -1;  // the row as the caller counts, or -1
  };

  // Fills exactly `size` at the cursor of the window. Marks "<id>", "<id>.copy" and "<id>.header.TITLE".
  Drawn draw(std::string_view id, ImVec2 size, const std::vector<Column>& columns, const Rows& rows);

  // As it is sorted: titles, then rows, separated by tabs.
  std::string tab_separated(const std::vector<Column>& columns, const Rows& rows);

  int sorted_by = -1;  // a column; none: as the caller gave them
  bool descending = false;

 private:
  struct Frame;
  void order(const std::vector<Column>& columns, const Rows& rows);
  void measure(Frame& f);
  void top_row(Frame& f);
  void header(Frame& f);
  void body(Frame& f);
  void cell(Frame& f, size_t row, size_t column, float width);
  size_t row_at(size_t place) const { return order_.empty() ? place : order_[place]; }

  struct Key {
    size_t count = 0, columns = 0;
    uint64_t version = 0;
    int sorted_by = -1;
    bool descending = false;
    float scale = 0;
    bool operator==(const Key&) const = default;
  };
  Key ordered_, measured_;
  std::vector<uint32_t> order_;
  std::vector<float> natural_, least_;  // widths that nothing is cut in; that no column goes below
};

}  // namespace ringside::ui
