// The few strokes that ImGui's draw list lacks, and text that fits its place.
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringside/widgets/look.h"

namespace ringside::ui {

struct Rect {
  ImVec2 min, max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  bool contains(ImVec2 p) const { return p.x >= min.x && p.x < max.x && p.y >= min.y && p.y < max.y; }
  bool overlaps(const Rect& r) const {
    return min.x < r.max.x && r.min.x < max.x && min.y < r.max.y && r.min.y < max.y;
  }
  ImVec2 middle() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
};

float text_width(Type type, std::string_view text);
inline float text_width(std::string_view label) { return text_width(Type::kLabel, label); }
void draw_text(ImDrawList& list, ImVec2 at, ImU32 colour, std::string_view text, Type type = Type::kLabel);
// In the middle, or from the left, of the rectangle: cut with "…" where it does not fit, and left
// out where not even one letter does.
void draw_text_in(ImDrawList& list, const Rect& rect, ImU32 colour, std::string_view text,
                  Type type = Type::kLabel, bool centred = true);
inline void draw_label(ImDrawList& list, const Rect& rect, ImU32 colour, std::string_view text) {
  draw_text_in(list, rect, colour, text, Type::kLabel, false);
}
std::string elide(std::string_view text, float width,
                  Type type = Type::kLabel);  // "" where not one letter fits

void dashed_line(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness = 1);
void dashed_rect(ImDrawList& list, const Rect& rect, ImU32 colour, float thickness = 1);
// A line with an arrow head at `to`.
void arrow(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness = 1);
// Parallel strokes at 45°, the pattern beside a colour; `step` pixels apart.
void hatch(ImDrawList& list, const Rect& rect, ImU32 colour, float step);

// Its lines, none wider than that: broken at blanks alone, so that a number stays whole ("467,019,003"),
// which ImGui would break behind a comma. A longer word stands out.
std::string broken(std::string_view text, float width, Type type);
// Body text at the cursor, broken at words, no line wider than 68 characters or the room there is.
void paragraph(std::string_view text, Type type = Type::kBody);
void paragraph(std::string_view text, ImU32 colour, Type type = Type::kBody);
inline void remark(std::string_view text) { paragraph(text, colours().dim, Type::kLabel); }  // small and grey

// A button that marks itself under `name`; `primary`: the one next step. Its tip says what it does, and its
// key.
bool button(const char* label, std::string_view name, bool primary = false, bool enabled = true,
            std::string_view meaning = "", std::string_view key = "");
// One of several: "stage 0 1 2 [3]". True where another one was chosen; `chosen` may be none of them. Each
// marks itself "NAME=CHOICE". Its tip has its meaning, where there are meanings, and all of it where its
// button is too narrow.
bool choice_row(std::string_view name, const std::vector<std::string>& choices, int& chosen, float width,
                std::span<const std::string> meanings = {});
// A place that can be clicked, marked under that name; what is drawn there comes behind it.
bool touch(std::string_view name, const Rect& rect);
// As choice_row, with names that tell them apart, "NAME=ID", in groups where they have some. Without groups each tab
// is as wide as it needs to be while all of them fit, with their short titles if need be; else the chosen one
// is, up to a third of the width. In two rows where a title would have no room for a syllable.
struct Tab {
  Tab(const char* name) : id(name), title(name) {}
  Tab(std::string the_id, std::string the_title, std::string the_short = "")
      : id(std::move(the_id)), title(std::move(the_title)), short_title(std::move(the_short)) {}
  std::string id, title, short_title;  // short_title: where not all titles fit; may be empty
  std::string group = {};              // its name stands before them; "" of all: there are no groups
  bool marked = false;                 // with a line below its title
};
// The tab under the mouse, once it has rested there: as a tip does, it waits for kTipDelay.
struct RestedTab {
  size_t nth;
  Rect rect;
};
// With `rested`, tabs have no tips of their own: it says which of them asks for one.
bool tab_row(std::string_view name, const std::vector<Tab>& tabs, size_t& chosen, float width,
             std::optional<RestedTab>* rested = nullptr);
// Beside the item before, or below it where so much would not fit.
void beside(float width, float gap = kGap);
// The keyboard goes to the item that is drawn next.
void focus_next_item();
// The wheel and the arrow keys belong to the widget below the mouse or with the focus: else the window would
// scroll and the focus would wander at the same time.
bool item_lit();     // the item drawn last is below the mouse, or has a focus that the keys have shown
void keep_wheel();   // after a hovered item: its window does not scroll
void keep_arrows();  // after a focused item: the focus stays

// A tip for the item drawn last: what it means, and behind it in grey the key that does the same. It comes
// when the mouse has rested there for kTipDelay, below the item, above it where there is no room; a press
// puts it away until the mouse comes anew.
inline constexpr double kTipDelay = 0.5;  // seconds
void tooltip(std::string_view meaning, std::string_view key = "");
bool rests_on_item();  // a tip of the item drawn last is due
// A tip of any content below or above that rectangle, until end_tip().
void begin_tip(const Rect& item, ImVec2 size);
void end_tip();
double seconds_to_tip();  // until a frame has a tip to draw that the last one had not; infinite: none is due

}  // namespace ringside::ui
