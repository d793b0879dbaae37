// A matrix as a heat map; the shades of a pair have one scale.
#include <algorithm>

#include "figure_drawing.h"
#include "ringside/widgets/heat_map.h"

namespace ringside {
namespace {

void widen(const figure::Matrix& matrix, std::optional<ui::Range>& range) {
  for (const figure::MatrixCell& cell : matrix.cells) {
    if (cell.state != figure::MatrixCell::State::kValue || !std::isfinite(cell.value)) continue;
    if (!range) range = ui::Range{std::min(cell.value, 0.0), cell.value};
    range = ui::Range{std::min(range->low, cell.value), std::max(range->high, cell.value)};
  }
}

ui::HeatCell shown(const figure::MatrixCell& cell) {
  return {static_cast<ui::HeatCell::State>(cell.state), cell.value, cell.word, cell.detail};
}
static_assert(static_cast<int>(ui::HeatCell::State::kWrong) ==
              static_cast<int>(figure::MatrixCell::State::kWrong));

class MatrixDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override {
    const auto& matrix = std::get<figure::Matrix>(frame.value);
    const auto cells = [&](int row, int column) {
      const size_t at = static_cast<size_t>(row) * matrix.columns.size() + static_cast<size_t>(column);
      return at < matrix.cells.size() ? shown(matrix.cells[at]) : ui::HeatCell{};
    };
    if (frame.focus) map_.focus();
    const auto drawn = map_.draw(frame.id, frame.size, matrix.rows, matrix.columns, cells,
                                 {unit_of(matrix.unit), matrix.row_name, matrix.column_name,
                                  range_of(matrix, beside<figure::Matrix>(frame)), true});
    frame.drawn.hovered = drawn.hovered.has_value();
    frame.state["rows"] = std::to_string(matrix.rows.size());
    frame.state["columns"] = std::to_string(matrix.columns.size());
    const auto name = [&](ui::HeatMap::Place p) {
      return matrix.rows[static_cast<size_t>(p.row)] + ", " + matrix.columns[static_cast<size_t>(p.column)];
    };
    if (drawn.hovered) frame.state["hovered"] = name(*drawn.hovered);
    if (const auto& p = map_.selected; p && p->row < static_cast<int>(matrix.rows.size()) &&
                                       p->column < static_cast<int>(matrix.columns.size()))
      frame.state["chosen"] = name(*p);
  }

 private:
  // Of all its values, whichever part of it is shown.
  static std::optional<ui::Range> range_of(const figure::Matrix& matrix, const figure::Matrix* other) {
    std::optional<ui::Range> range;
    widen(matrix, range);
    if (other != nullptr) widen(*other, range);
    if (!matrix.least && !matrix.most) return range;
    const ui::Range found = range.value_or(ui::Range{});
    return ui::Range{matrix.least.value_or(found.low), matrix.most.value_or(found.high)};
  }

  ui::HeatMap map_;
};

}  // namespace

std::unique_ptr<FigureDrawing> matrix_drawing() { return std::make_unique<MatrixDrawing>(); }

}  // namespace ringside
