// Kinds that have no picture yet: their names.
#include "figure_drawing.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

class NameDrawing : public FigureDrawing {
 public:
  explicit NameDrawing(const char* name) : name_(name) {}
  void draw(FigureFrame& frame) override {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ui::Rect rect{at, {at.x + frame.size.x, at.y + frame.size.y}};
    ui::draw_text_in(*ImGui::GetWindowDrawList(), rect, ui::colours().dim, name_, ui::Type::kBody);
    ui::mark(frame.id, rect.min, rect.max);
  }

 private:
  const char* name_;
};

}  // namespace

std::unique_ptr<FigureDrawing> bars_drawing() { return std::make_unique<NameDrawing>("bars"); }
std::unique_ptr<FigureDrawing> contours_drawing() { return std::make_unique<NameDrawing>("contours"); }
std::unique_ptr<FigureDrawing> boxes_drawing() { return std::make_unique<NameDrawing>("boxes"); }
std::unique_ptr<FigureDrawing> lanes_drawing() { return std::make_unique<NameDrawing>("lanes"); }
std::unique_ptr<FigureDrawing> graph_drawing() { return std::make_unique<NameDrawing>("graph"); }
std::unique_ptr<FigureDrawing> listing_drawing() { return std::make_unique<NameDrawing>("listing"); }

}  // namespace ringside
