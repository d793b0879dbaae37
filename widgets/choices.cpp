// Rows of buttons of which one is on: the choices of a parameter, the tabs of pictures.
#include <algorithm>

#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {

namespace {

// A button of a row, lit where it is the one that is on. True where it was pressed.
bool choice(const char* title, const std::string& marked, bool on, float width,
            const std::string& meaning = "") {
  ImGui::PushStyleColor(ImGuiCol_Button, on ? colours().accent : colours().raised);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, on ? fade(colours().accent, 0.15f) : colours().line);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, on ? fade(colours().accent, 0.3f) : colours().line);
  ImGui::PushStyleColor(ImGuiCol_Text, on ? text_on(colours().accent) : colours().text);
  const float room = width - px(4);
  const bool fits = ImGui::CalcTextSize(title).x <= room;
  const bool pressed = ImGui::Button(fits ? title : elide(title, room).c_str(), {width, 0});
  mark(marked);
  ImGui::PopStyleColor(4);
  std::string tip = fits ? "" : title;
  if (!meaning.empty()) tip += (fits ? "" : ": ") + meaning;
  tooltip(tip);
  return pressed;
}

// The whole titles where all of them fit, else the short ones.
std::vector<std::string> tab_titles(const std::vector<Tab>& tabs, float width) {
  std::vector<std::string> whole, shorter;
  float sum = 0;
  for (const Tab& tab : tabs) {
    whole.push_back(tab.title);
    shorter.push_back(tab.short_title.empty() ? tab.title : tab.short_title);
    sum += std::max(px(64), ImGui::CalcTextSize(tab.title.c_str()).x + px(16));
  }
  return sum <= width ? whole : shorter;
}

// All of one width where they do not fit, but for the chosen one, if it is among them.
std::vector<float> tab_widths(const std::vector<std::string>& titles, size_t chosen, float width) {
  std::vector<float> widths;
  float sum = 0;
  for (const std::string& title : titles) {
    widths.push_back(std::max(px(64), ImGui::CalcTextSize(title.c_str()).x + px(16)));
    sum += widths.back();
  }
  if (sum <= width || titles.empty()) return widths;
  const bool has_chosen = chosen < titles.size() && titles.size() > 1;
  const float mine = has_chosen ? std::min(widths[chosen], width / 3) : 0;
  const float each = (width - mine) / static_cast<float>(titles.size() - (has_chosen ? 1 : 0));
  std::fill(widths.begin(), widths.end(), each);
  if (has_chosen) widths[chosen] = mine;
  return widths;
}

}  // namespace

bool choice_row(std::string_view name, const std::vector<std::string>& choices, int& chosen, float width,
                std::span<const std::string> meanings) {
  const int before = chosen;
  const auto count = static_cast<float>(choices.size());
  const float gap = px(2), each = (width - gap * (count - 1)) / count;
  ImGui::PushID(begin(name), end(name));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(2), px(3)));
  for (size_t i = 0; i < choices.size(); ++i) {
    const int nth = static_cast<int>(i);
    if (i > 0) ImGui::SameLine(0, gap);
    ImGui::PushID(nth);
    if (choice(choices[i].c_str(), std::string(name) + "=" + choices[i], nth == before, each,
               i < meanings.size() ? meanings[i] : ""))
      chosen = nth;
    ImGui::PopID();
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return chosen != before;
}

namespace {

struct Placed {
  std::string_view name;  // of the row
  const std::vector<Tab>& tabs;
  size_t chosen;
  float width;
  float x = 0;  // where the row has come to
};

float tab_width(const Tab& tab) {
  const std::string& title = tab.short_title.empty() ? tab.title : tab.short_title;
  return std::max(px(40), ImGui::CalcTextSize(title.c_str()).x + px(12));
}

// Beside what is there, or in a new row where it does not fit.
void place(Placed& row, float width, float gap) {
  if (row.x > 0 && row.x + gap + width > row.width) row.x = 0;
  if (row.x > 0) ImGui::SameLine(0, gap);
  row.x += (row.x > 0 ? gap : 0) + width;
}

bool one_tab(Placed& row, size_t nth, size_t& chosen) {
  const Tab& tab = row.tabs[nth];
  const std::string& title = tab.short_title.empty() ? tab.title : tab.short_title;
  place(row, tab_width(tab), px(2));
  ImGui::PushID(static_cast<int>(nth));
  const bool pressed = choice(title.c_str(), std::string(row.name) + "=" + tab.id, nth == row.chosen,
                              tab_width(tab), title != tab.title ? tab.title : "");
  ImGui::PopID();
  if (pressed) chosen = nth;
  return pressed;
}

// Each group has its name before its tabs, and begins a row where it does not fit behind the one before.
bool grouped_tabs(std::string_view name, const std::vector<Tab>& tabs, size_t& chosen, float width) {
  Placed row{name, tabs, chosen, width};
  bool changed = false;
  for (size_t first = 0, last = 0; first < tabs.size(); first = last) {
    float whole = ImGui::CalcTextSize(tabs[first].group.c_str()).x;
    const float label = whole;
    for (; last < tabs.size() && tabs[last].group == tabs[first].group; ++last)
      whole += px(4) + tab_width(tabs[last]);
    if (row.x > 0 && row.x + px(14) + whole > width) row.x = 0;
    place(row, label + px(3), px(14));
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colours().dim), "%s", tabs[first].group.c_str());
    ImGui::SameLine(0, px(3)), ImGui::Dummy({0, 0});
    for (size_t nth = first; nth < last; ++nth) changed = one_tab(row, nth, chosen) || changed;
  }
  return changed && chosen != row.chosen;
}

}  // namespace

bool tab_row(std::string_view name, const std::vector<Tab>& tabs, size_t& chosen, float width) {
  constexpr float kBetween = 2, kLeast = 52;  // under it a title has no room for a syllable
  const size_t before = chosen;
  if (!tabs.empty() && !tabs.front().group.empty()) {
    ImGui::PushID(begin(name), end(name));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(2), px(3)));
    const bool changed = grouped_tabs(name, tabs, chosen, width);
    ImGui::PopStyleVar();
    ImGui::PopID();
    return changed;
  }
  const auto room = [&](size_t count) { return width - px(kBetween) * static_cast<float>(count - 1); };
  const auto titles = tab_titles(tabs, room(tabs.size()));
  const auto all = tab_widths(titles, chosen, room(tabs.size()));
  const bool two_rows = tabs.size() > 3 && *std::min_element(all.begin(), all.end()) < px(kLeast);
  const size_t in_row = two_rows ? (tabs.size() + 1) / 2 : tabs.size();
  ImGui::PushID(begin(name), end(name));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(2), px(3)));
  for (size_t first = 0; first < tabs.size(); first += in_row) {
    const size_t count = std::min(in_row, tabs.size() - first);
    const std::vector<std::string> own(titles.begin() + static_cast<std::ptrdiff_t>(first),
                                       titles.begin() + static_cast<std::ptrdiff_t>(first + count));
    const auto widths =
        tab_widths(own, before - first, room(count));  // wraps round where it is in a row before
    for (size_t i = 0; i < count; ++i) {
      const Tab& tab = tabs[first + i];
      if (i > 0) ImGui::SameLine(0, px(kBetween));
      ImGui::PushID(static_cast<int>(first + i));
      const bool is_before = first + i == before;
      if (choice(own[i].c_str(), std::string(name) + "=" + tab.id, is_before, widths[i],
                 own[i] != tab.title ? tab.title : ""))
        chosen = first + i;
      ImGui::PopID();
    }
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return chosen != before;
}

}  // namespace ringside::ui
