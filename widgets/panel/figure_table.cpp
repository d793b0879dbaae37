// A table that sorts and copies, the rows of this instant lit.
#include <set>

#include "figure_drawing.h"
#include "ringside/widgets/table.h"

namespace ringside {
namespace {

class TableDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override {
    const auto& table = std::get<figure::Table>(frame.value);
    const std::set<size_t> lit(table.lit.begin(), table.lit.end());
    ui::Table::Rows rows;
    rows.count = table.rows.size();
    rows.version = frame.version;
    rows.cell = [&](size_t row, size_t column) {
      const auto& cells = table.rows[row];
      return column < cells.size() ? cells[column] : figure::TableCell{};
    };
    rows.highlighted = [&](size_t row) { return lit.contains(row); };
    if (frame.focus) ui::focus_next_item();
    const auto drawn = table_.draw(frame.id, frame.size, table.columns, rows);
    frame.drawn.hovered = drawn.hovered >= 0;
    frame.state["rows"] = std::to_string(table.rows.size());
    frame.state["columns"] = std::to_string(table.columns.size());
    if (drawn.hovered >= 0) frame.state["hovered"] = std::to_string(drawn.hovered);
    if (table_.sorted_by >= 0)
      frame.state["sorted"] = table.columns[static_cast<size_t>(table_.sorted_by)].title;
  }

 private:
  ui::Table table_;
};

}  // namespace

std::unique_ptr<FigureDrawing> table_drawing() { return std::make_unique<TableDrawing>(); }

}  // namespace ringside
