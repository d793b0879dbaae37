#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {
std::vector<Item> drawn;  // of the one context that a program has
}  // namespace

void begin_items() { drawn.clear(); }
void mark(std::string_view name, bool enabled) {
  mark(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), enabled);
}
void mark(std::string_view name, ImVec2 min, ImVec2 max, bool enabled) {
  drawn.push_back({std::string(name), min, max, enabled});
}
const std::vector<Item>& items() { return drawn; }
const Item* find_item(std::string_view name) {
  for (const Item& item : drawn) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

}  // namespace ringside::ui
