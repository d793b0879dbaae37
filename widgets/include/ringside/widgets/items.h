// Names for what can be pointed at. A script says "click next", a test asks where
// "hero" was drawn: each widget that a person can touch marks itself.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace ringside::ui {

struct Item {
  std::string name;
  ImVec2 min, max;  // on the screen, in pixels
  bool enabled = true;
  ImVec2 seen_min = {}, seen_max = {};  // what its window does not clip; all of it where nothing is seen
  ImVec2 middle() const { return {(seen_min.x + seen_max.x) / 2, (seen_min.y + seen_max.y) / 2}; }
};

void begin_items();                                     // at the start of a frame
void mark(std::string_view name, bool enabled = true);  // the item that was drawn last
void mark(std::string_view name, ImVec2 min, ImVec2 max, bool enabled = true);
const std::vector<Item>& items();              // of this frame, in drawing order
const Item* find_item(std::string_view name);  // null where it was not drawn

}  // namespace ringside::ui
