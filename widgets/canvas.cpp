#include "ringside/widgets/canvas.h"

#include <algorithm>

#include "ringside/widgets/items.h"

namespace ringside::ui {

namespace {
int last_focused_frame = -2;  // of the one context that a program has

// Below and right of the mouse, else above or left of it; never beyond the display's left upper corner. ImGui
// itself leaves a large note where the display cuts it.
ImVec2 corner_of_note(ImVec2 size, const ImVec2* at) {
  const ImVec2 display = ImGui::GetIO().DisplaySize, mouse = ImGui::GetIO().MousePos;
  ImVec2 corner = at != nullptr ? *at : ImVec2(mouse.x + px(16), mouse.y + px(10));
  if (corner.x + size.x > display.x) corner.x = display.x - size.x - px(2);
  if (corner.y + size.y > display.y) corner.y = (at != nullptr ? at->y : mouse.y) - size.y - px(6);
  return {std::max(corner.x, px(2)), std::max(corner.y, px(2))};
}
}  // namespace

bool canvas_has_keys() { return last_focused_frame >= ImGui::GetFrameCount() - 1; }

Canvas::Canvas(const std::string& id, ImVec2 size, bool focus) {
  size = {std::max(size.x, px(8)), std::max(size.y, px(8))};
  if (focus) ImGui::SetNextWindowFocus();
  ImGui::BeginChild(id.c_str(), size, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
                        ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoNavFocus);
  list_ = ImGui::GetWindowDrawList();
  rect_.min = ImGui::GetCursorScreenPos();
  rect_.max = {rect_.min.x + size.x, rect_.min.y + size.y};
  ImGui::InvisibleButton("canvas", size,
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                             ImGuiButtonFlags_MouseButtonMiddle);
  hovered_ = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
             (!ImGui::IsAnyItemActive() || ImGui::IsItemActive());
  active_ = ImGui::IsItemActive();
  clicked_ = hovered_ && ImGui::IsMouseClicked(0);
  focused_ = ImGui::IsWindowFocused();
  if (focused_) last_focused_frame = ImGui::GetFrameCount();
  mark(id, rect_.min, rect_.max);
}

Canvas::~Canvas() { ImGui::EndChild(); }

void Canvas::draw_focus() const {
  list_->AddRect({rect_.min.x + 1, rect_.min.y + 1}, {rect_.max.x - 1, rect_.max.y - 1}, colours().accent,
                 px(3), 0, px(1.5f));
}

void note(const std::string& text, const ImVec2* at) {
  if (look().covered) return;
  const FontScope scope(Type::kLabel);
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  const float most = std::min(px(360), ImGui::GetIO().DisplaySize.x - 2 * padding.x - px(8));
  // Measured here: left to itself, a tip would have the size of the one before for a frame.
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, most);
  const ImVec2 whole(size.x + 2 * padding.x + 1, size.y + 2 * padding.y);
  ImGui::SetNextWindowPos(corner_of_note(whole, at));
  ImGui::SetNextWindowSize(whole);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(padding.x + most);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace ringside::ui
