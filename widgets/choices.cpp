// Rows of buttons of which one is on: the choices of a parameter.
#include "choice_button.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {

bool fits_button(const std::string& title, float width) {
  return ImGui::CalcTextSize(title.c_str()).x <= width - px(4);
}

bool choice_button(const std::string& title, const std::string& marked, bool on, float width) {
  ImGui::PushStyleColor(ImGuiCol_Button, on ? colours().accent : colours().raised);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, on ? fade(colours().accent, 0.15f) : colours().line);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, on ? fade(colours().accent, 0.3f) : colours().line);
  ImGui::PushStyleColor(ImGuiCol_Text, on ? text_on(colours().accent) : colours().text);
  const std::string shown = fits_button(title, width) ? title : elide(title, width - px(4));
  const bool pressed = ImGui::Button(shown.c_str(), {width, 0});
  mark(marked);
  ImGui::PopStyleColor(4);
  return pressed;
}

bool choice_row(std::string_view name, const std::vector<std::string>& choices, int& chosen, float width,
                std::span<const std::string> meanings) {
  const int before = chosen;
  const auto count = float(choices.size());
  const float gap = px(2), each = (width - gap * (count - 1)) / count;
  ImGui::PushID(begin(name), end(name));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(2), px(3)));
  for (size_t i = 0; i < choices.size(); ++i) {
    const int nth = int(i);
    if (i > 0) ImGui::SameLine(0, gap);
    ImGui::PushID(nth);
    if (choice_button(choices[i], std::string(name) + "=" + choices[i], nth == before, each)) chosen = nth;
    std::string tip = fits_button(choices[i], each) ? "" : choices[i];
    if (i < meanings.size() && !meanings[i].empty()) tip += (tip.empty() ? "" : ": ") + meanings[i];
    tooltip(tip);
    ImGui::PopID();
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return chosen != before;
}

}  // namespace ringside::ui
