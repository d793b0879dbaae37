// The tabs of pictures, in groups where they have some.
#include <algorithm>

#include "choice_button.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

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
  const float each = (width - mine) / float(titles.size() - (has_chosen ? 1 : 0));
  std::ranges::fill(widths, each);
  if (has_chosen) widths[chosen] = mine;
  return widths;
}

// One row of them, or several, in one frame.
struct Row {
  std::string_view name;
  const std::vector<Tab>& tabs;
  size_t& chosen;
  float width;
  std::optional<RestedTab>* rested;
  size_t before = chosen;
  float x = 0;  // how far the line has come
};

void one_tab(Row& row, size_t nth, const std::string& title, float width) {
  const Tab& tab = row.tabs[nth];
  ImGui::PushID(int(nth));
  if (choice_button(title, std::string(row.name) + "=" + tab.id, nth == row.before, width)) row.chosen = nth;
  ImGui::PopID();
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  if (tab.marked) {
    const ImU32 colour = nth == row.before ? text_on(colours().accent) : colours().accent;
    ImGui::GetWindowDrawList()->AddRectFilled({min.x + px(5), max.y - px(3)}, {max.x - px(5), max.y - px(1)},
                                              colour);
    mark(std::string(row.name) + ".marked");
  }
  if (row.rested == nullptr)
    return tooltip(title != tab.title || !fits_button(title, width) ? tab.title : "");
  if (rests_on_item()) *row.rested = RestedTab{nth, {min, max}};
}

const std::string& short_title(const Tab& tab) {
  return tab.short_title.empty() ? tab.title : tab.short_title;
}

float tab_width(const Tab& tab) {
  return std::max(px(40), ImGui::CalcTextSize(short_title(tab).c_str()).x + px(12));
}

// Beside what is there, or in a new line where it does not fit.
void place(Row& row, float width, float gap) {
  if (row.x > 0 && row.x + gap + width > row.width) row.x = 0;
  if (row.x > 0) ImGui::SameLine(0, gap);
  row.x += (row.x > 0 ? gap : 0) + width;
}

// Each group has its name before its tabs, and begins a line where it does not fit behind the one before.
void grouped_tabs(Row& row) {
  const std::vector<Tab>& tabs = row.tabs;
  for (size_t first = 0, last = 0; first < tabs.size(); first = last) {
    const float label = ImGui::CalcTextSize(tabs[first].group.c_str()).x;
    float whole = label;
    for (; last < tabs.size() && tabs[last].group == tabs[first].group; ++last)
      whole += px(4) + tab_width(tabs[last]);
    if (row.x > 0 && row.x + px(14) + whole > row.width) row.x = 0;
    place(row, label + px(3), px(14));
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colours().dim), "%s", tabs[first].group.c_str());
    ImGui::SameLine(0, px(3)), ImGui::Dummy({0, 0});
    for (size_t nth = first; nth < last; ++nth) {
      place(row, tab_width(tabs[nth]), px(2));
      one_tab(row, nth, short_title(tabs[nth]), tab_width(tabs[nth]));
    }
  }
}

// In two lines where a title would have no room for a syllable.
void plain_tabs(Row& row) {
  constexpr float kBetween = 2, kLeast = 52;
  const size_t all = row.tabs.size();
  const auto room = [&](size_t count) { return row.width - px(kBetween) * float(count - 1); };
  const auto titles = tab_titles(row.tabs, room(all));
  const auto widths = tab_widths(titles, row.before, room(all));
  const bool two = all > 3 && *std::ranges::min_element(widths) < px(kLeast);
  const size_t in_line = two ? (all + 1) / 2 : all;
  for (size_t first = 0; first < all; first += in_line) {
    const size_t count = std::min(in_line, all - first);
    const auto begin = titles.begin() + std::ptrdiff_t(first);
    const std::vector<std::string> own(begin, begin + std::ptrdiff_t(count));
    // Wraps round where the chosen one is in a line before.
    const auto of_line = tab_widths(own, row.before - first, room(count));
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) ImGui::SameLine(0, px(kBetween));
      one_tab(row, first + i, own[i], of_line[i]);
    }
  }
}

}  // namespace

bool tab_row(std::string_view name, const std::vector<Tab>& tabs, size_t& chosen, float width,
             std::optional<RestedTab>* rested) {
  Row row{name, tabs, chosen, width, rested};
  ImGui::PushID(begin(name), end(name));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(2), px(3)));
  !tabs.empty() && !tabs.front().group.empty() ? grouped_tabs(row) : plain_tabs(row);
  ImGui::PopStyleVar();
  ImGui::PopID();
  return chosen != row.before;
}

}  // namespace ringside::ui
