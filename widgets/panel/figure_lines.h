// Lines over an axis: losses by step, formulas beside what was measured, those of the pinned run below them.
// Many points are drawn by pixel column. What is drawn where is in lines_layout.cpp, what a person does to it
// in lines_input.cpp, bands and marks in lines_marks.cpp.
#pragma once

#include <set>

#include "figure_parts.h"
#include "line_strokes.h"

namespace ringside {

// Marks "ID.log" and "ID.logx", the buttons of its axes, and "ID.legend.NAME".
class LinesDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override;

 private:
  void take(const FigureFrame& frame);
  void top_rows();
  bool toggle(std::string_view label, const std::string& name, const ui::Rect& rect, bool on,
              std::string_view hint) const;
  void legend();
  void legend_entry(size_t i, const ui::Rect& rect);
  void lay_out();
  void axes();
  void bands();
  void name_bands(PlacedWords& words);
  void marks(PlacedWords& words);
  void lines();
  void name_ends(PlacedWords& words);
  bool shares_colour(size_t own) const;
  bool crossed(size_t own, float left, float right, float top, float bottom) const;
  void act();
  void drag();
  void keyboard();
  void zoom(bool along_x, double factor, double centre);  // centre: 0 to 1
  void pan(double dx, double dy);                         // in parts of the view
  void fit() { view_x_.reset(), view_y_.reset(); }        // all data again, also what is still to come
  void readout();
  bool is_hidden(const DrawnLine& series) const { return hidden_.contains(series.name); }

  bool log_x_ = false, log_y_ = false;            // of the axes, until a person says otherwise
  std::optional<figure::Range> view_x_, view_y_;  // none: fits the data
  std::set<std::string> hidden_;                  // names of series
  bool dragging_cursor_ = false;
  ImVec2 last_mouse_{};
  std::optional<uint64_t> version_;
  figure::Axis axis_x_, axis_y_;  // as the figure says
  figure::Unit x_unit_, y_unit_;
  // Of this frame.
  FigureFrame* frame_ = nullptr;
  const figure::Lines* value_ = nullptr;
  std::vector<DrawnLine> series_;
  ImDrawList* list_ = nullptr;
  ui::Rect all_{};
  float top_ = 0;  // below the rows above the plot
  PlotArea area_;
  std::vector<figure::Tick> y_ticks_;
  bool inside_ = false;  // the mouse is in the plot
  double mouse_x_ = 0;   // there
};

}  // namespace ringside
