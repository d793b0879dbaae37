// A matrix as a heat map; the shades of a pair have one scale.
#include "figure_drawing.h"
#include "ringside/widgets/heat_map.h"

namespace ringside {
namespace {

class MatrixDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override {
    const auto& matrix = std::get<figure::Matrix>(frame.value);
    if (frame.focus) map_.focus();
    const auto drawn = map_.draw(frame.id, frame.size, matrix, beside<figure::Matrix>(frame));
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
  ui::HeatMap map_;
};

}  // namespace

std::unique_ptr<FigureDrawing> matrix_drawing() { return std::make_unique<MatrixDrawing>(); }

}  // namespace ringside
