// A matrix of cells: who sent how much to whom, which pair of runs agrees. A value
// is a shade of one hue, a number where it fits and else a square that grows with
// it: never the shade alone.
#pragma once

#include <imgui.h>

#include <optional>
#include <string_view>

#include "ringside/lesson/figure.h"
#include "ringside/widgets/draw.h"

namespace ringside::ui {

class HeatMap {
 public:
  struct Place {
    int row = 0, column = 0;
    bool operator==(const Place&) const = default;
  };
  struct Drawn {
    std::optional<Place> hovered, chosen;  // chosen: by a click or a key in this frame
  };

  // Fills exactly `size` at the cursor of the window. Where there are more cells than room the wheel and the
  // selection move the part that is shown. Marks "<id>" and "<id>.ROW.COLUMN" for each cell that is shown.
  // The shades have one scale with those of `beside`.
  Drawn draw(std::string_view id, ImVec2 size, const figure::Matrix& matrix,
             const figure::Matrix* beside = nullptr);

  void focus() { focus_next_ = true; }  // the keyboard, with the next frame
  std::optional<Place> selected;

 private:
  struct Frame;
  void lay_out(Frame& f);
  void labels(Frame& f);
  void all_cells(Frame& f);
  void draw_cell(Frame& f, const figure::MatrixCell& cell, const Rect& rect);
  void scale(Frame& f);
  void extents(Frame& f);
  void act(Frame& f);
  void move(Frame& f);
  void readout(Frame& f);

  Place first_;  // the cell at the upper left
  bool focus_next_ = false;
};

}  // namespace ringside::ui
