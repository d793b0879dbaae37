// Lines over an axis, those of the pinned run below them.
#include "figure_drawing.h"
#include "ringside/figures/whole.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/line_plot.h"

namespace ringside {
namespace {

class LinesDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override {
    const auto& lines = std::get<figure::Lines>(frame.value);
    take_axes(lines);
    series_.clear();
    for (const figure::Line& line : lines.lines) add(line.name, line, line.stroke);
    if (const auto* pinned = beside<figure::Lines>(frame)) {
      for (const figure::Line& line : pinned->lines) {  // what was computed or guessed is said once
        if (line.stroke == figure::Stroke::kFormula || line.stroke == figure::Stroke::kGuess) continue;
        add(tr("{}, pinned", line.name), line, figure::Stroke::kPinned);
      }
    }
    if (frame.focus) plot_.focus();
    const auto drawn = plot_.draw(frame.id, frame.size, series_, options_of(frame, lines));
    frame.drawn = {drawn.hovered, drawn.dragged};
    frame.state["lines"] = std::to_string(series_.size());
    if (drawn.hovered) {
      const double step = ui::round_step(plot_.x_range().span(), 100, unit_of(lines.x.unit));
      frame.state["hovered"] = ui::format_value(drawn.x, unit_of(lines.x.unit), step);
    }
  }

 private:
  void add(std::string name, const figure::Line& line, figure::Stroke stroke) {
    series_.push_back({std::move(name), colour_of(line.ink), stroke, line.points});
  }

  // An axis is logarithmic as the figure says, until a person says otherwise.
  void take_axes(const figure::Lines& lines) {
    if (log_x_ != lines.x.log) plot_.log_x = lines.x.log;
    if (log_y_ != lines.y.log) plot_.log_y = lines.y.log;
    log_x_ = lines.x.log, log_y_ = lines.y.log;
  }

  ui::LinePlot::Options options_of(const FigureFrame& frame, const figure::Lines& lines) {
    ui::LinePlot::Options options;
    if (std::exchange(version_, frame.version) != frame.version) {
      x_unit_ = figure::unit_of(lines.x, figure::x_is_whole(lines));
      y_unit_ = figure::unit_of(lines.y, figure::y_is_whole(lines));
    }
    options.x_unit = x_unit_;
    options.y_unit = y_unit_;
    options.x_name = lines.x.name;
    options.y_name = lines.y.name;
    options.can_log_x = lines.x.log;
    options.cursor = frame.cursor_x;
    options.x_ends = {lines.x.least, lines.x.most};
    options.y_ends = {lines.y.least, lines.y.most};
    options.bands = lines.bands;
    options.marks = lines.marks;
    return options;
  }

  ui::LinePlot plot_;
  bool log_x_ = false, log_y_ = false;
  ui::Unit x_unit_, y_unit_;  // of the figure shown
  std::optional<uint64_t> version_;
  std::vector<ui::Series> series_;
};

}  // namespace

std::unique_ptr<FigureDrawing> lines_drawing() { return std::make_unique<LinesDrawing>(); }

}  // namespace ringside
