// Tables that sort and copy. Only the rows that are seen are asked for their text,
// so that a hundred thousand cost what a screenful costs.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::ui {

struct Cell {
  std::string text;
  double number = std::numeric_limits<double>::quiet_NaN();  // what a numeric column sorts by
};

class Table {
 public:
  enum class Align : uint8_t { kLeft, kRight };
  struct Column {
    std::string title, unit;  // the unit stands behind the title
    bool numeric = false;     // sorts by number, cells without one last
    Align align = Align::kLeft;
    static Column text(std::string title) { return {std::move(title), {}, false, Align::kLeft}; }
    static Column number(std::string title, std::string unit = {}) {
      return {std::move(title), std::move(unit), true, Align::kRight};
    }
  };
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
  Drawn draw(std::string_view id, ImVec2 size, const std::vector<Column>& columns,
             const std::vector<std::vector<Cell>>& rows, uint64_t version = 0);

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
