// What each kind of figure implements, and what all of them share.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "ringside/figures/axis.h"
#include "ringside/lesson/figure.h"
#include "ringside/panel/figure_view.h"
#include "ringside/widgets/draw.h"

namespace ringside {

// One figure of one frame.
struct FigureFrame {
  const std::string& id;
  ImVec2 size;
  uint64_t version;
  const figure::Value& value;
  const figure::Value* beside;  // the other one of a pair, of the same kind: both have one scale; null: none
  std::optional<double> cursor_x;
  bool focus;
  bool movable = true;  // its handle; not that of the pinned run
  FigureView::Drawn drawn{};
  std::map<std::string, std::string> state{};
};

class FigureDrawing {
 public:
  virtual ~FigureDrawing() = default;
  // The value is of this drawing's kind.
  virtual void draw(FigureFrame& frame) = 0;
};

std::unique_ptr<FigureDrawing> nothing_drawing();
std::unique_ptr<FigureDrawing> lines_drawing();
std::unique_ptr<FigureDrawing> bars_drawing();
std::unique_ptr<FigureDrawing> matrix_drawing();
std::unique_ptr<FigureDrawing> contours_drawing();
std::unique_ptr<FigureDrawing> boxes_drawing();
std::unique_ptr<FigureDrawing> lanes_drawing();
std::unique_ptr<FigureDrawing> graph_drawing();
std::unique_ptr<FigureDrawing> listing_drawing();
std::unique_ptr<FigureDrawing> table_drawing();
// As figure::Value has them.
inline constexpr std::array kDrawings = {nothing_drawing,  lines_drawing, bars_drawing,  matrix_drawing,
                                         contours_drawing, boxes_drawing, lanes_drawing, graph_drawing,
                                         listing_drawing,  table_drawing};
static_assert(kDrawings.size() == std::variant_size_v<figure::Value>);

using figure::unit_of;
using ui::colour_of;

// The value beside, where there is one, as the same kind.
template <class Kind>
const Kind* beside(const FigureFrame& frame) {
  return frame.beside == nullptr ? nullptr : std::get_if<Kind>(frame.beside);
}

}  // namespace ringside
