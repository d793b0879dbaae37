// Lines over one axis: losses by step, bytes by time, formulas beside what was
// measured. Many points are drawn by pixel column.
#pragma once

#include <imgui.h>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/lesson/figure.h"
#include "ringside/widgets/axis.h"
#include "ringside/widgets/draw.h"

namespace ringside::ui {

using figure::Point;
// kMeasured: solid, its points shown where there are few; kGuess: dashed; kFormula: thin, with a tick and its
// name at the right; kPinned: faded, its points hollow; kDots: measured, and nothing between the points.
using figure::Stroke;

// In rising order of x. A y that is not finite is a gap. Each is read in each frame: some ten thousand at
// most.
using Points = std::span<const Point>;

struct Series {
  std::string name;
  ImU32 colour = 0;
  Stroke stroke = Stroke::kMeasured;
  Points points;
};

class LinePlot {
 public:
  using Band = figure::Band;
  using Mark = figure::Mark;
  struct Ends {  // of an axis; none: as the data has them
    std::optional<double> least, most;
  };
  struct Options {
    Unit x_unit, y_unit;
    std::string x_name, y_name;
    bool can_log_x = false, can_log_y = true;  // whether their buttons are shown
    std::optional<double> cursor;              // a vertical line that can be dragged: the playhead
    Ends x_ends = {}, y_ends = {};
    std::vector<Band> bands = {};
    std::vector<Mark> marks = {};
  };
  struct Drawn {
    bool hovered = false;
    double x = 0;                   // under the mouse, while hovered
    std::optional<double> dragged;  // where the cursor was dragged to in this frame
  };

  // Fills exactly `size` at the cursor of the window. Marks "<id>", "<id>.log", "<id>.logx" and
  // "<id>.legend.<name>".
  Drawn draw(std::string_view id, ImVec2 size, std::span<const Series> series, const Options& options);

  void focus() { focus_next_ = true; }              // the keyboard, with the next frame
  void fit() { view_x_.reset(), view_y_.reset(); }  // all data again, also what is still to come
  // What the last frame showed.
  Range x_range() const { return x_; }
  Range y_range() const { return y_; }
  bool log_x = false, log_y = false;
  std::set<std::string, std::less<>> hidden;  // names of series

 private:
  struct Frame;
  void lay_out(Frame& f);
  void top_rows(Frame& f);
  void legend(Frame& f);
  void legend_entry(Frame& f, size_t i, const Rect& rect);
  void axes(Frame& f);
  void bands(Frame& f);
  void name_bands(Frame& f);
  void marks(Frame& f);
  void lines(Frame& f);
  void name_formulas(Frame& f);
  bool crossed(const Frame& f, size_t own, float left, float right, float top, float bottom) const;
  void act(Frame& f);
  void drag(Frame& f);
  void keyboard(Frame& f);
  void zoom(bool along_x, double factor, double centre);  // centre: 0 to 1
  void pan(double dx, double dy);                         // in parts of the view
  void readout(Frame& f);

  std::optional<Range> view_x_, view_y_;  // none: fits the data
  Range x_, y_;
  bool dragging_cursor_ = false, focus_next_ = false;
  ImVec2 last_mouse_{};
};

}  // namespace ringside::ui
