#include "ringside/widgets/items.h"

#include <algorithm>

namespace ringside::ui {
namespace {
std::vector<Item> drawn;  // of the one context that a program has
}  // namespace

void begin_items() { drawn.clear(); }
void mark(std::string_view name, bool enabled) {
  mark(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), enabled);
}
void mark(std::string_view name, ImVec2 min, ImVec2 max, bool enabled) {
  const ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low = list.GetClipRectMin(), high = list.GetClipRectMax();
  const ImVec2 seen_min(std::max(min.x, low.x), std::max(min.y, low.y)),
      seen_max(std::min(max.x, high.x), std::min(max.y, high.y));
  const bool is_seen = seen_min.x < seen_max.x && seen_min.y < seen_max.y;
  drawn.push_back({std::string(name), min, max, enabled, is_seen ? seen_min : min, is_seen ? seen_max : max});
}
const std::vector<Item>& items() { return drawn; }
const Item* find_item(std::string_view name) {
  for (const Item& item : drawn)
    if (item.name == name) return &item;
  return nullptr;
}

}  // namespace ringside::ui
