// What several kinds of figures are made of: rows that scroll, an axis, a legend, words that do not touch.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "figure_drawing.h"
#include "ringside/figures/whole.h"
#include "ringside/widgets/canvas.h"

namespace ringside {

// Rows of one height, or columns of one width, of which a part may be shown: the wheel moves it by whole
// ones.
struct RowWindow {
  size_t first = 0;             // kept from frame to frame
  size_t count = 0, shown = 0;  // of this frame
  float top = 0, pitch = 0;

  // From that edge of the room on, between `least` and `most` pixels a row.
  void lay_out(size_t rows, float edge, float room, float least, float most);
  void lay_out(size_t rows, const ui::Rect& room, float least, float most) {
    lay_out(rows, room.min.y, room.height(), least, most);
  }
  void centre(const ui::Rect& room) { top += std::max(0.0f, std::floor((room.max.y - bottom()) / 2)); }
  float bottom() const { return top + pitch * float(shown); }
  void take_wheel(const ui::Canvas& canvas);
  void reveal(size_t row);
  void choose_by_keys(std::optional<size_t>& row);
  float row_top(size_t row) const { return top + pitch * (float(row) - float(first)); }
  size_t end() const { return std::min(first + shown, count); }
  std::optional<size_t> row_at(float y) const;
  // Which part is shown, as a bar at the right edge of the room, or at its lower one, where not all are.
  void draw_extent(ImDrawList& list, const ui::Rect& room, bool down = true) const;
};

// An axis from left to right.
struct AxisAcross {
  figure::Axis axis;
  figure::Range range;
  float left = 0, right = 1;
  bool whole = false;  // all that lies on it

  float at(double value) const;  // pixels, some way beyond the ends at most
  double value(float at) const;
  figure::Unit unit() const { return figure::unit_of(axis, whole); }
  std::string text(double value) const;  // of three digits or so
};
// As the axis says, else outwards to round numbers.
figure::Range range_of(const figure::Axis& axis, std::optional<figure::Range> found, bool whole = false);
void widen(std::optional<figure::Range>& range, double value);
// Grid lines in the plot, numbers and the name below it.
void draw_axis(ImDrawList& list, const ui::Rect& plot, const AxisAcross& axis);
float axis_height(const figure::Axis& axis);  // of what stands below
// The ticks of an axis that goes up at the left of the plot, and the width of their numbers.
std::vector<figure::Tick> ticks_up(const ui::Rect& plot, const figure::Range& range, const figure::Unit& unit,
                                   bool log);
float widest_of(const std::vector<figure::Tick>& ticks);
// Numbers, where the `gutter` left of the plot has room for them, and grid lines.
void draw_ticks_up(ImDrawList& list, const ui::Rect& plot, const std::vector<figure::Tick>& ticks,
                   float gutter, bool grid);
// The playhead: a line from the top to the bottom of the plot, with its handle.
void draw_cursor(ImDrawList& list, const ui::Rect& plot, double x);

// Whether the list takes more strokes: without vertex offsets (the null renderer) it ends at 65,536 vertices.
bool room_left(const ImDrawList& list);

struct LegendEntry {
  std::string name;
  ImU32 colour;
};
// In as many lines as it needs, at most a quarter of the rectangle; the height that it took.
float draw_legend(ImDrawList& list, const ui::Rect& rect, const std::vector<LegendEntry>& entries);

// Words that never touch each other.
class PlacedWords {
 public:
  explicit PlacedWords(const ui::Rect& room, ImU32 ground = ui::colours().background)
      : room_(room), ground_(ground) {}
  void keep_free(const ui::Rect& rect) { taken_.push_back(rect); }
  // False where there is no room; on a ground of its own where it may cross lines.
  bool put(ImDrawList& list, ImVec2 corner, std::string_view text, ImU32 colour, bool ground = true);
  // At the first of these places where there is room.
  void put_at_one(ImDrawList& list, const std::vector<ImVec2>& corners, std::string_view text, ImU32 colour) {
    std::ranges::any_of(corners, [&](ImVec2 corner) { return put(list, corner, text, colour); });
  }

 private:
  ui::Rect room_;
  ImU32 ground_;
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
  explicit operator bool() const { return right != 0 || down != 0; }
};
KeySteps arrow_keys();

// An index that arrow keys move.
size_t moved(size_t index, int steps, size_t count);

using Spot = std::pair<size_t, size_t>;  // a row, and one of what stands in it
// Up and down to another row, left and right within it; the first key chooses `begin`. True: it was moved.
template <class Count>
bool move_by_keys(std::optional<Spot>& place, size_t rows, const Count& count_in, Spot begin) {
  const KeySteps keys = arrow_keys();
  if (!keys || rows == 0) return false;
  if (!place) return place = begin, true;
  const size_t row = moved(place->first, keys.down, rows);
  place = Spot{row, moved(place->second, keys.right, count_in(row))};
  return true;
}

// A picture in a canvas of its own. What tells its parts apart is a number or two: one is pointed at, one was
// chosen by a click or by arrow keys.
template <class Kind, class Part = size_t>
class CanvasDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) final {
    const ui::Canvas canvas(frame.id, frame.size, frame.focus);
    value_ = &std::get<Kind>(frame.value);
    list_ = &canvas.list();
    all_ = canvas.rect();
    hovered_.reset();
    noted_ = false;
    if (chosen_ && !is_there(*chosen_)) chosen_.reset();
    picture(frame, canvas);
    if (canvas.focused()) canvas.draw_focus();
    const std::optional<Part> held = in_hand(canvas);
    if (const std::string text = held && !noted_ ? detail(*held) : ""; !text.empty()) {
      const ImVec2 place = below(*held);
      ui::note(text, hovered_ ? nullptr : &place);
    }
    frame.drawn.hovered = canvas.hovered();
    if (hovered_) frame.state["hovered"] = name(*hovered_);
    if (chosen_) frame.state["chosen"] = name(*chosen_);
  }

 protected:
  virtual void picture(FigureFrame& frame,
                       const ui::Canvas& canvas) = 0;      // says what is hovered_ and chosen_
  virtual bool is_there(const Part& part) const = 0;       // in this value
  virtual std::string detail(const Part& part) const = 0;  // beside it; "": nothing
  virtual ImVec2 below(const Part& part) const = 0;        // where that stands
  virtual std::string name(const Part& part) const {       // for scripts
    if constexpr (std::is_same_v<Part, size_t>)
      return std::to_string(part);
    else
      return std::to_string(part.first) + "." + std::to_string(part.second);
  }
  std::optional<Part> in_hand(const ui::Canvas& canvas) const {
    return !hovered_ && canvas.focused() ? chosen_ : hovered_;
  }

  std::optional<Part> chosen_;
  // Of this frame.
  const Kind* value_ = nullptr;
  ImDrawList* list_ = nullptr;
  ui::Rect all_{};
  std::optional<Part> hovered_;
  bool noted_ = false;  // something else was told of
};

}  // namespace ringside
