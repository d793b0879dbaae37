// Why there is no figure, in the middle of its place.
#include "figure_drawing.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

class NothingDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override {
    const std::string& why = std::get<figure::Nothing>(frame.value).why;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ui::Rect rect{at, {at.x + frame.size.x, at.y + frame.size.y}};
    const ImFont* font = ui::font(ui::Type::kBody);
    const float room = std::max(frame.size.x - ui::px(16), 1.0f);
    const float measure = std::min(room, 68 * ui::text_width(ui::Type::kBody, "n"));
    const char *begin = why.data(), *end = begin + why.size();
    const ImVec2 needs = font->CalcTextSizeA(font->FontSize, FLT_MAX, measure, begin, end);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (needs.y > frame.size.y || needs.x > room) {
      ui::draw_text_in(list, rect, ui::colours().dim, why, ui::Type::kBody);
    } else {
      const ImVec2 corner(at.x + (frame.size.x - needs.x) / 2, at.y + (frame.size.y - needs.y) / 2);
      list.AddText(font, font->FontSize, {std::floor(corner.x), std::floor(corner.y)}, ui::colours().dim,
                   begin, end, measure);
    }
    ui::mark(frame.id, rect.min, rect.max);
    frame.state["why"] = why;
  }
};

}  // namespace

std::unique_ptr<FigureDrawing> nothing_drawing() { return std::make_unique<NothingDrawing>(); }

}  // namespace ringside
