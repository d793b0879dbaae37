#include "ringside/panel/figure_view.h"

#include <array>
#include <utility>

#include "figure_drawing.h"
#include "ringside/figures/compute.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

// Two pictures: beside each other, or below where there is more height than width.
struct Halves {
  bool across;
  ImVec2 each;
  ImVec2 second;  // from the first one's corner
};
Halves halves_of(ImVec2 size) {
  const float gap = ui::px(16);
  if (size.x >= size.y) {
    const float width = std::max((size.x - gap) / 2, 1.0f);
    return {true, {width, size.y}, {width + gap, 0}};
  }
  const float height = std::max((size.y - gap) / 2, 1.0f);
  return {false, {size.x, height}, {0, height + gap}};
}

bool nothing(const figure::Value& value) { return std::holds_alternative<figure::Nothing>(value); }

}  // namespace

// A drawing for each kind that was shown so far.
struct FigureView::Side {
  std::array<std::unique_ptr<FigureDrawing>, kDrawings.size()> drawings;

  void draw(FigureFrame& frame) {
    const size_t kind = frame.value.index();
    if (!drawings[kind]) drawings[kind] = kDrawings[kind]();
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    if (frame.size.x >= ui::px(24) && frame.size.y >= ui::px(24)) drawings[kind]->draw(frame);
    ImGui::SetCursorScreenPos(origin);
    ImGui::Dummy({std::max(frame.size.x, 0.0f), std::max(frame.size.y, 0.0f)});
  }

  // With its name above.
  void draw_named(FigureFrame& frame, const std::string& name) {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const float height = ui::line_height() + ui::px(4);
    ui::draw_label(*ImGui::GetWindowDrawList(), {origin, {origin.x + frame.size.x, origin.y + height}},
                   ui::colours().dim, name);
    ImGui::SetCursorScreenPos({origin.x, origin.y + height});
    frame.size.y -= height;
    draw(frame);
  }
};

FigureView::FigureView() : shown_(std::make_unique<Side>()), pinned_(std::make_unique<Side>()) {}
FigureView::~FigureView() = default;
FigureView::FigureView(FigureView&&) noexcept = default;
FigureView& FigureView::operator=(FigureView&&) noexcept = default;

FigureView::Drawn FigureView::draw(const std::string& id, ImVec2 size, const figure::Value& value,
                                   const Options& options) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const bool same_kind = options.pinned != nullptr && options.pinned->index() == value.index();
  const bool over = std::holds_alternative<figure::Lines>(value);
  const figure::Value* pinned =
      options.pinned != nullptr && !nothing(*options.pinned) ? options.pinned : nullptr;
  FigureFrame frame{id,
                    size,
                    options.version,
                    value,
                    same_kind ? options.pinned : nullptr,
                    options.cursor_x,
                    std::exchange(focus_, false)};
  if (pinned == nullptr || (over && same_kind)) {
    shown_->draw(frame);
  } else {
    const Halves halves = halves_of(size);
    frame.size = halves.each;
    shown_->draw_named(frame, tr("this run"));
    const std::string other = id + ".pinned";
    FigureFrame second{other, halves.each, options.version, *pinned, same_kind ? &value : nullptr, {},
                       false, false};
    ImGui::SetCursorScreenPos({origin.x + halves.second.x, origin.y + halves.second.y});
    pinned_->draw_named(second, tr("pinned"));
    for (const auto& [name, text] : second.state) frame.state["pinned." + name] = text;
    frame.drawn.hovered |= second.drawn.hovered;
  }
  state_ = std::move(frame.state);
  state_["kind"] = figure::kind_of(value);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({std::max(size.x, 0.0f), std::max(size.y, 0.0f)});
  return frame.drawn;
}

}  // namespace ringside
