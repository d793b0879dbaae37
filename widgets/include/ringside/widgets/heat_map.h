// A matrix of cells: who sent how much to whom, which pair of runs agrees. A value
// is a shade of one hue, a number where it fits and else a square that grows with
// it: never the shade alone.
#pragma once

#include <imgui.h>

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ringside/widgets/axis.h"
#include "ringside/widgets/draw.h"

namespace ringside::ui {

struct HeatCell {
  enum class State : unsigned char { kValue, kEmpty, kSame, kDifferent, kWrong };
  State state = State::kEmpty;
  double value = std::numeric_limits<double>::quiet_NaN();  // of kValue
  std::string text;    // instead of the number, "=" or "≠"; in the readout beside it
  std::string detail;  // in the readout only

  static HeatCell of(double value) { return {State::kValue, value, {}, {}}; }
  static HeatCell same() { return {State::kSame, 0, {}, {}}; }            // "="
  static HeatCell different() { return {State::kDifferent, 0, {}, {}}; }  // "≠" that was to be expected
  static HeatCell wrong() { return {State::kWrong, 0, {}, {}}; }          // "≠" that should not be: alarm
};

class HeatMap {
 public:
  struct Place {
    int row = 0, column = 0;
    bool operator==(const Place&) const = default;
  };
  struct Options {
    Unit unit;
    std::string row_name, column_name;  // "from", "to": in the readout and at the corner
    std::optional<Range> range;         // of the shades; else of the values shown
    bool wide = false;                  // cells grow so that their words fit
  };
  struct Drawn {
    std::optional<Place> hovered, chosen;  // chosen: by a click or a key in this frame
  };
  using Cells = std::function<HeatCell(int row, int column)>;

  // Fills exactly `size` at the cursor of the window. Where there are more cells than room the wheel and the
  // selection move the part that is shown. Marks "<id>" and "<id>.ROW.COLUMN" for each cell that is shown.
  Drawn draw(std::string_view id, ImVec2 size, std::span<const std::string> rows,
             std::span<const std::string> columns, const Cells& cells, const Options& options);

  void focus() { focus_next_ = true; }  // the keyboard, with the next frame
  std::optional<Place> selected;

 private:
  struct Frame;
  void lay_out(Frame& f);
  void collect(Frame& f);
  void labels(Frame& f);
  void all_cells(Frame& f);
  void draw_cell(Frame& f, const HeatCell& cell, const Rect& rect);
  void scale(Frame& f);
  void extents(Frame& f);
  void act(Frame& f);
  void move(Frame& f);
  void readout(Frame& f);

  Place first_;  // the cell at the upper left
  bool focus_next_ = false;
};

}  // namespace ringside::ui
