// A height over two axes: shades, lines of equal height, and paths on them.
#include <cmath>
#include <tuple>

#include "contour_lines.h"
#include "figure_parts.h"
#include "ringside/figures/levels.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using ui::px;

constexpr size_t kMostShades = 48;  // cells along one side: one draw list has 65,536 vertices

// The ends of an axis that a figure has to give.
figure::Range ends_of(const figure::Axis& axis) {
  return figure::usable({axis.least.value_or(axis.log ? 1 : 0), axis.most.value_or(1)}, axis.log);
}

class ContoursDrawing : public CanvasDrawing<figure::Contours, Spot> {  // a path, and a point of it
  void picture(FigureFrame& frame, const ui::Canvas& canvas) override {
    take(frame);
    lay_out();
    const auto points_in = [&](size_t path) { return value_->paths[path].points.size(); };
    if (canvas.focused()) move_by_keys(chosen_, value_->paths.size(), points_in, {0, 0});
    if (chosen_ && !is_there(*chosen_)) chosen_.reset();
    list_->PushClipRect(plot_.min, plot_.max, true);
    shades();
    levels();
    PlacedWords words(plot_);
    const bool on_handle = move_handle(canvas, frame);
    if (canvas.hovered() && !on_handle) hovered_ = nearest(canvas.mouse());
    if (canvas.clicked()) chosen_ = hovered_;
    paths(frame, words);
    handle(frame, words, on_handle);
    heights(words);
    list_->PopClipRect();
    list_->AddRect(plot_.min, plot_.max, ui::colours().line);
    if (on_handle)
      ui::note(tr("{}: drag it", value_->handle->name) + "\n" + text_at(handle_at().x, handle_at().y));
    else if (canvas.hovered() && plot_.contains(canvas.mouse()) && !hovered_)
      ui::note(text_at(x_.value(canvas.mouse().x), y_value(canvas.mouse().y)));
    noted_ = on_handle || (canvas.hovered() && !hovered_);
    frame.state["columns"] = std::to_string(value_->columns);
    frame.state["rows"] = std::to_string(value_->rows);
    frame.state["levels"] = std::to_string(levels_.size());
    frame.state["paths"] = std::to_string(value_->paths.size());
  }

  void take(const FigureFrame& frame) {
    if (version_ == frame.version && laid_out_) return;
    version_ = frame.version;
    laid_out_ = true;
    levels_ = contour_levels(*value_);
    lines_ = contour_lines(*value_, levels_);
    std::tie(low_, high_) = figure::ends_of(*value_);
  }

  void lay_out() {
    plot_ = all_;
    const float line = ui::line_height();
    const bool axes = all_.height() >= px(90) && all_.width() >= px(120);
    y_range_ = ends_of(value_->y);
    x_ = {value_->x, ends_of(value_->x), plot_.min.x, plot_.max.x};
    if (!axes) return;
    if (!value_->y.name.empty()) {
      ui::draw_label(*list_, {all_.min, {all_.max.x, all_.min.y + line}}, ui::colours().dim, value_->y.name);
      plot_.min.y += line;
    }
    plot_.min.y += px(4);
    plot_.max.y -= axis_height(value_->x);
    const auto ticks = ticks_up(plot_, y_range_, unit_of(value_->y.unit), value_->y.log);
    plot_.min.x += std::min(widest_of(ticks) + px(8), all_.width() / 3);
    plot_.max.x -= px(4);
    x_.left = plot_.min.x, x_.right = plot_.max.x;
    draw_ticks_up(*list_, plot_, ticks, plot_.min.x - all_.min.x, false);
    draw_axis(*list_, plot_, x_);
  }

  double y_value(float at) const {
    return figure::value_at((plot_.max.y - at) / std::max(plot_.height(), 1.0f), y_range_, value_->y.log);
  }
  // Of parts of the grid, and of values on the axes.
  ImVec2 in_plot(double across, double up) const {
    return {float(plot_.min.x + across * plot_.width()), float(plot_.max.y - up * plot_.height())};
  }
  ImVec2 place(figure::Point p) const {
    const auto part = [](double value) { return std::isnan(value) ? 0 : std::clamp(value, -10.0, 10.0); };
    return in_plot(part(figure::position_of(p.x, x_.range, value_->x.log)),
                   part(figure::position_of(p.y, y_range_, value_->y.log)));
  }

  // From the panel's colour to grey, which no path has; the logarithm's where levels are even in it.
  ImU32 shade(double height) const {
    if (!std::isfinite(height)) return ui::colours().background;
    const bool log = low_ > 0;
    const double span = log ? std::log(high_ / low_) : high_ - low_;
    const double part = span > 0 ? (log ? std::log(height / low_) : height - low_) / span : 0;
    return ui::mix(ui::colours().panel, ui::fade(ui::colours().dim, 0.45f),
                   float(std::clamp(part, 0.0, 1.0)));
  }

  void shades() const {
    const figure::Contours& c = *value_;
    if (c.columns < 2 || c.rows < 2 || c.heights.size() < c.columns * c.rows) return;
    const size_t across = std::min(c.columns - 1, kMostShades), up = std::min(c.rows - 1, kMostShades);
    const auto corner = [&](size_t i, size_t j) {
      return shade(contour_height(c, double(i) / double(across), double(j) / double(up)));
    };
    for (size_t j = 0; j < up; ++j) {
      for (size_t i = 0; i < across; ++i) {
        const ImVec2 a = in_plot(double(i) / double(across), double(j + 1) / double(up));
        const ImVec2 b = in_plot(double(i + 1) / double(across), double(j) / double(up));
        list_->AddRectFilledMultiColor(a, b, corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j),
                                       corner(i, j));
      }
    }
  }

  void levels() const {
    const ImU32 colour = ui::fade(ui::colours().dim, 0.35f);
    for (const ContourLine& level : lines_) {
      for (const ContourSegment& s : level.segments)
        list_->AddLine(in_plot(s.from.x, s.from.y), in_plot(s.to.x, s.to.y), colour, px(1));
    }
  }

  // Of each level at one place, where there is room.
  void heights(PlacedWords& words) const {
    const float line = ui::line_height();
    for (const ContourLine& level : lines_) {
      const std::string text =
          figure::format_value(level.height, figure::Unit::plain(), std::abs(level.height) / 100);
      const float width = ui::text_width(text);
      for (const size_t part : {2, 3, 1}) {
        if (level.segments.empty()) break;
        const ContourSegment& s = level.segments[level.segments.size() * part / 4];
        const ImVec2 at = in_plot(s.from.x, s.from.y);
        if (words.put(*list_, {at.x - width / 2, at.y - line / 2}, text, ui::colours().dim)) break;
      }
    }
  }

  void paths(const FigureFrame& frame, PlacedWords& words) {
    for (size_t i = 0; i < value_->paths.size(); ++i) {
      const figure::Path& path = value_->paths[i];
      const ImU32 colour = colour_of(path.ink);
      for (const bool halo : {true, false}) {
        for (size_t k = 0; k + 1 < path.points.size(); ++k) {
          if (!finite(path.points[k]) || !finite(path.points[k + 1])) continue;
          list_->AddLine(place(path.points[k]), place(path.points[k + 1]),
                         halo ? ui::colours().background : colour, px(halo ? 4 : 2));
        }
      }
      const bool few = float(path.points.size()) <= plot_.width() / px(8);
      for (size_t k = 0; k < path.points.size(); ++k) {
        const bool end = k + 1 == path.points.size(), lit = hovered_ == Spot{i, k} || chosen_ == Spot{i, k};
        if ((few || end || lit) && finite(path.points[k])) dot(place(path.points[k]), colour, end, lit);
      }
      ui::mark(frame.id + ".path." + std::to_string(i), plot_.min, plot_.max);
    }
    // Behind all paths, so that no dot lies over a name.
    std::vector<std::pair<const figure::Path*, ImVec2>> ends;
    for (const figure::Path& path : value_->paths)
      if (!path.points.empty() && finite(path.points.back()))
        ends.emplace_back(&path, place(path.points.back()));
    for (const auto& [path, end] : ends)
      words.keep_free({{end.x - px(6), end.y - px(6)}, {end.x + px(6), end.y + px(6)}});
    for (const auto& [path, end] : ends) name(words, *path, end);
  }
  void dot(ImVec2 at, ImU32 colour, bool end, bool lit) const {
    list_->AddCircleFilled(at, px(end ? 6 : 4), ui::colours().background, 16);
    list_->AddCircleFilled(at, px(end ? 5 : 3), colour, 16);
    if (lit) list_->AddCircle(at, px(7), ui::colours().text, 20, px(2));
  }
  static bool finite(figure::Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

  // Where paths run, near that place.
  std::vector<ImVec2> strokes_near(ImVec2 end) const {
    std::vector<ImVec2> near;
    const auto add = [&](ImVec2 at) {
      if (std::abs(at.x - end.x) < px(220) && std::abs(at.y - end.y) < px(160)) near.push_back(at);
    };
    for (const figure::Path& path : value_->paths)
      for (size_t k = 0; k + 1 < path.points.size(); ++k) {
        if (!finite(path.points[k]) || !finite(path.points[k + 1])) continue;
        const ImVec2 from = place(path.points[k]), to = place(path.points[k + 1]);
        const float pieces = std::clamp(std::hypot(to.x - from.x, to.y - from.y) / px(5), 1.0f, 64.0f);
        for (float i = 0; i < pieces; ++i)
          add({from.x + (to.x - from.x) * i / pieces, from.y + (to.y - from.y) * i / pieces});
      }
    return near;
  }

  // Beside the end; where others end there as well, or a path runs, farther off, joined to it by a line.
  void name(PlacedWords& words, const figure::Path& path, ImVec2 end) const {
    const float width = ui::text_width(path.name), line = ui::line_height();
    const ImU32 colour = colour_of(path.ink);
    const std::vector<ImVec2> strokes = strokes_near(end);
    const auto is_free = [&](ImVec2 corner) {
      const ui::Rect rect{{corner.x - px(3), corner.y}, {corner.x + width + px(3), corner.y + line}};
      return std::ranges::none_of(strokes, [&](ImVec2 at) { return rect.contains(at); });
    };
    for (const bool over_strokes : {false, true})
      for (const float away : {9.0f, 24.0f, 40.0f, 60.0f, 80.0f, 110.0f})
        for (const float x : {1.0f, -1.0f, 0.0f})
          for (const float y : {0.0f, -1.0f, 1.0f, -0.5f, 0.5f}) {
            const ImVec2 at(end.x + px(away) * x, end.y + px(away) * y);  // of the near edge
            const ImVec2 corner(at.x + width * (x - 1) / 2, at.y + line * (y - 1) / 2);
            if ((x == 0 && y == 0) || (!over_strokes && !is_free(corner))) continue;
            if (!words.put(*list_, corner, path.name, colour)) continue;
            if (away > 9) list_->AddLine(end, at, ui::fade(colour, 0.4f), px(1));
            return;
          }
  }

  // ---- The handle ---------------------------------------------------------------

  figure::Point handle_at() const { return held_.value_or(value_->handle->at); }

  // It follows the mouse; where it is dropped its parameter is set. True: the mouse is on it.
  bool move_handle(const ui::Canvas& canvas, FigureFrame& frame) {
    if (!value_->handle || !frame.movable) return held_.reset(), false;
    const ImVec2 at = place(value_->handle->at), mouse = canvas.mouse();
    const bool on = canvas.hovered() && std::hypot(at.x - mouse.x, at.y - mouse.y) <= px(10);
    if (on && canvas.clicked()) held_ = value_->handle->at, grip_ = {at.x - mouse.x, at.y - mouse.y};
    if (!held_) return on;
    if (!ImGui::IsMousePosValid()) return held_.reset(), false;
    const auto within = [](float value, float least, float most) { return std::clamp(value, least, most); };
    held_ = figure::Point{x_.value(within(mouse.x + grip_.x, plot_.min.x, plot_.max.x)),
                          y_value(within(mouse.y + grip_.y, plot_.min.y, plot_.max.y))};
    if (ImGui::IsMouseDown(0)) return true;
    const auto text = [&](figure::Point p) { return figure::text_of_place(*value_, p); };
    if (text(*held_) != text(value_->handle->at)) frame.drawn.set = {value_->handle->parameter, text(*held_)};
    held_.reset();
    return true;
  }

  void handle(const FigureFrame& frame, PlacedWords& words, bool lit) const {
    if (!value_->handle) return;
    const ImVec2 at = place(handle_at());
    const ImU32 colour = frame.movable ? ui::colours().accent : ui::colours().dim;
    const float r = px(lit ? 11 : 9), line = ui::line_height();
    list_->AddCircle(at, r, ui::colours().background, 32, px(5));
    list_->AddCircle(at, r, colour, 32, px(2));
    const std::string& text = value_->handle->name;
    const float width = ui::text_width(text);
    words.put_at_one(*list_,
                     {{at.x - width / 2, at.y - r - line - px(3)},
                      {at.x - width / 2, at.y + r + px(3)},
                      {at.x + r + px(4), at.y - line / 2}},
                     text, colour);
    if (frame.movable) ui::mark(frame.id + ".handle", {at.x - r, at.y - r}, {at.x + r, at.y + r});
  }

  const figure::Point& point(const Spot& place) const {
    return value_->paths[place.first].points[place.second];
  }
  bool is_there(const Spot& place) const override {
    return place.first < value_->paths.size() && place.second < value_->paths[place.first].points.size();
  }
  ImVec2 below(const Spot& spot) const override {
    const ImVec2 at = place(point(spot));
    return {at.x + px(8), at.y + px(8)};
  }

  std::optional<Spot> nearest(ImVec2 mouse) const {
    std::optional<Spot> best;
    float least = px(8);
    for (size_t i = 0; i < value_->paths.size(); ++i) {
      for (size_t k = 0; k < value_->paths[i].points.size(); ++k) {
        const figure::Point& p = value_->paths[i].points[k];
        if (!finite(p)) continue;
        const ImVec2 at = place(p);
        const float far = std::hypot(at.x - mouse.x, at.y - mouse.y);
        if (far < least) least = far, best = Spot{i, k};
      }
    }
    return best;
  }

  std::string text_at(double x, double y) const {
    const double height = contour_height(*value_, figure::position_of(x, x_.range, value_->x.log),
                                         figure::position_of(y, y_range_, value_->y.log));
    const double step = y_range_.span() / 200;
    const std::string up =
        figure::format_value(y, unit_of(value_->y.unit), value_->y.log ? std::abs(y) / 100 : step);
    const std::string tall = figure::format_value(height, figure::Unit::plain(), std::abs(height) / 1000);
    const auto named = [](const std::string& axis, const std::string& value) {
      return axis.empty() ? value : axis + "  " + value;
    };
    return named(value_->x.name, x_.text(x)) + "\n" + named(value_->y.name, up) + "\n" +
           tr("height {}", tall);
  }
  std::string detail(const Spot& spot) const override {
    const figure::Path& path = value_->paths[spot.first];
    const std::string nth = tr("{}, point {} of {}", path.name, spot.second + 1, path.points.size());
    return nth + "\n" + text_at(point(spot).x, point(spot).y);
  }

  std::optional<figure::Point> held_;  // where the handle is dragged to
  ImVec2 grip_{};                      // from the mouse to the handle's middle
  uint64_t version_ = 0;
  bool laid_out_ = false;
  double low_ = 0, high_ = 1;
  std::vector<double> levels_;
  std::vector<ContourLine> lines_;
  ui::Rect plot_{};  // of this frame, as what follows
  AxisAcross x_;
  figure::Range y_range_;
};

}  // namespace

std::unique_ptr<FigureDrawing> contours_drawing() { return std::make_unique<ContoursDrawing>(); }

}  // namespace ringside
