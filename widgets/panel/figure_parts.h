// What several kinds of figures are made of: rows that scroll, an axis, a legend, words that do not touch.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "figure_drawing.h"
#include "ringside/figures/whole.h"
#include "ringside/widgets/canvas.h"

namespace ringside {

// Rows of one height, of which a part may be shown: the wheel moves it by whole rows.
struct RowWindow {
  size_t first = 0;             // kept from frame to frame
  size_t count = 0, shown = 0;  // of this frame
  float top = 0, pitch = 0;

  // From the top of the room, between `least` and `most` pixels a row.
  void lay_out(size_t rows, const ui::Rect& room, float least, float most);
  void centre(const ui::Rect& room) { top += std::max(0.0f, std::floor((room.max.y - bottom()) / 2)); }
  float bottom() const { return top + pitch * static_cast<float>(shown); }
  void take_wheel(const ui::Canvas& canvas);
  void reveal(size_t row);
  float row_top(size_t row) const {
    return top + pitch * (static_cast<float>(row) - static_cast<float>(first));
  }
  size_t end() const { return std::min(first + shown, count); }
  std::optional<size_t> row_at(float y) const;
  // Which part is shown, as a bar at the right edge of the room, where not all are.
  void draw_extent(ImDrawList& list, const ui::Rect& room) const;
};

// An axis from left to right.
struct AxisAcross {
  figure::Axis axis;
  ui::Range range;
  float left = 0, right = 1;
  bool whole = false;  // all that lies on it

  float at(double value) const;  // pixels, some way beyond the ends at most
  double value(float at) const;
  ui::Unit unit() const { return figure::unit_of(axis, whole); }
  std::string text(double value) const;  // of three digits or so
};
// As the axis says, else outwards to round numbers.
ui::Range range_of(const figure::Axis& axis, std::optional<ui::Range> found, bool whole = false);
void widen(std::optional<ui::Range>& range, double value);
// Grid lines in the plot, numbers and the name below it.
void draw_axis(ImDrawList& list, const ui::Rect& plot, const AxisAcross& axis);
float axis_height(const figure::Axis& axis);  // of what stands below

// Whether the list takes more strokes: without vertex offsets (the null renderer) it ends at 65,536 vertices.
bool room_left(const ImDrawList& list);

struct LegendEntry {
  std::string name;
  ImU32 colour;
};
// In as many lines as it needs, at most a quarter of the rectangle; the height that it took.
float draw_legend(ImDrawList& list, const ui::Rect& rect, const std::vector<LegendEntry>& entries);

// PlacedWords that never touch each other.
class PlacedWords {
 public:
  explicit PlacedWords(const ui::Rect& room) : room_(room) {}
  void keep_free(const ui::Rect& rect) { taken_.push_back(rect); }
  // False where there is no room; on a ground of its own where it may cross lines.
  bool put(ImDrawList& list, ImVec2 corner, std::string_view text, ImU32 colour, bool ground = true,
           ui::Type type = ui::Type::kLabel);

 private:
  ui::Rect room_;
  std::vector<ui::Rect> taken_;
};

// The widest of these texts, at most `most`; of the first few hundred.
template <class Items, class Text>
float widest(const Items& items, const Text& text, float most, ui::Type type = ui::Type::kLabel) {
  float width = 0;
  for (size_t i = 0; i < std::min<size_t>(items.size(), 200); ++i)
    width = std::max(width, ui::text_width(type, text(items[i])));
  return std::min(std::ceil(width) + 1, most);
}

// -1, 0 or 1 along each direction, of the arrow keys.
struct KeySteps {
  int right = 0, down = 0;
};
KeySteps arrow_keys();

// An index that arrow keys move.
size_t moved(size_t index, int steps, size_t count);

}  // namespace ringside
