#include "line_strokes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside {
namespace {

using figure::Point;
using figure::position_of;
using figure::Range;
using figure::Stroke;
using ui::px;
using ui::Rect;

struct Pixels {
  double x = 0, y = 0;
  bool finite() const { return std::isfinite(x) && std::isfinite(y); }
};

Pixels pixels_of(const PlotArea& area, Point p) { return {area.column(p.x), area.row(p.y)}; }

ImVec2 pixel(Pixels s) { return {float(s.x), float(s.y)}; }

// What of the segment lies in the rectangle: far zooms would otherwise give pixels that no float holds.
bool clip(const Rect& r, Pixels& a, Pixels& b) {
  double from = 0, to = 1;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const auto edge = [&](double along, double room) {
    if (along == 0) return room >= 0;
    const double t = room / along;
    if (along < 0)
      from = std::max(from, t);
    else
      to = std::min(to, t);
    return from <= to;
  };
  if (!edge(-dx, a.x - r.min.x) || !edge(dx, r.max.x - a.x) || !edge(-dy, a.y - r.min.y) ||
      !edge(dy, r.max.y - a.y))
    return false;
  const Pixels start = a;
  a = {start.x + from * dx, start.y + from * dy};
  b = {start.x + to * dx, start.y + to * dy};
  return a.finite() && b.finite();
}

class Pen {
 public:
  Pen(ImDrawList& list, const PlotArea& area, const DrawnLine& series)
      : list_(list), area_(area), stroke_(series.stroke), colour_(colour_of(series)) {}

  void segment(Pixels a, Pixels b) {
    if (stroke_ == Stroke::kDots || !a.finite() || !b.finite() || !clip(area_.rect, a, b)) return;
    if (stroke_ == Stroke::kGuess)
      dashes(a, b);
    else
      list_.AddLine(pixel(a), pixel(b), colour_, thickness());
  }

  void dot(Pixels s) {
    const ImVec2 at = pixel(s);
    const Rect& r = area_.rect;  // the last point stands on its edge
    if (!s.finite() || at.x < r.min.x || at.x > r.max.x || at.y < r.min.y || at.y > r.max.y) return;
    if (stroke_ == Stroke::kPinned)
      list_.AddCircle(at, px(3), colour_, 12, px(1));
    else
      list_.AddCircleFilled(at, px(3), colour_, 12);
  }

  // One pixel column from the top to the bottom row.
  void column(float x, double top, double bottom) {
    const auto within = [&](double y) {
      return float(std::clamp<double>(y, area_.rect.min.y, area_.rect.max.y));
    };
    if (bottom < area_.rect.min.y || top > area_.rect.max.y) return;
    if (stroke_ == Stroke::kGuess && std::fmod(x - area_.rect.min.x, px(9)) >= px(5)) return;
    const float least = thickness(), y = within(top);
    list_.AddRectFilled({x, y}, {x + 1, std::max(within(bottom), y + least)}, colour_);
  }

 private:
  float thickness() const { return px(stroke_ == Stroke::kMeasured || stroke_ == Stroke::kGuess ? 1.5f : 1); }

  // The pattern goes on from segment to segment: many short ones are dashed as one long one.
  void dashes(Pixels a, Pixels b) {
    const double length = std::hypot(b.x - a.x, b.y - a.y), dash = px(5), period = px(9);
    for (double s = 0; s < length;) {
      const double phase = std::fmod(walked_ + s, period);
      const double rest = std::max(1e-3, (phase < dash ? dash : period) - phase),
                   e = std::min(length, s + rest);
      const auto at = [&](double t) {
        return pixel({a.x + (b.x - a.x) * t / length, a.y + (b.y - a.y) * t / length});
      };
      if (phase < dash) list_.AddLine(at(s), at(e), colour_, thickness());
      s = e;
    }
    walked_ = std::fmod(walked_ + length, period);
  }

  ImDrawList& list_;
  const PlotArea& area_;
  Stroke stroke_;
  ImU32 colour_;
  double walked_ = 0;
};

void by_point(Pen& pen, const PlotArea& area, const DrawnLine& series, size_t first, size_t last) {
  const Points points = series.points;
  const bool few = float(last - first) <= area.rect.width() / px(12);
  const bool dotted = series.stroke == Stroke::kDots ||
                      (few && (series.stroke == Stroke::kMeasured || series.stroke == Stroke::kPinned));
  const size_t begin = first > 0 ? first - 1 : 0, end = std::min(last + 1, points.size());
  Pixels before{NAN, NAN}, here = begin < end ? pixels_of(area, points[begin]) : before;
  for (size_t i = begin; i < end; ++i) {
    const Pixels next = i + 1 < points.size() ? pixels_of(area, points[i + 1]) : Pixels{NAN, NAN};
    const bool alone = !before.finite() && !next.finite();
    if (i + 1 < end) pen.segment(here, next);
    if (dotted || alone) pen.dot(here);
    before = std::exchange(here, next);
  }
}

// Each pixel column from its smallest to its largest value, and up to its neighbour's.
void by_column(Pen& pen, const PlotArea& area, Points points, size_t first, size_t last) {
  const double bottom_end = area.rect.max.y;
  double top_before = NAN, bottom_before = NAN;
  size_t from = first;
  for (float x = area.rect.min.x; x < area.rect.max.x && from < last; ++x) {
    const size_t to = from + lower_bound(points.subspan(from, last - from), area.x_at(x + 1));
    if (to == from) {  // no point here: straight on to the next one, unless a gap is open
      if (from > first && std::isfinite(top_before))
        pen.segment(pixels_of(area, points[from - 1]), pixels_of(area, points[from]));
      top_before = bottom_before = NAN;
      continue;
    }
    const std::optional<Range> values = range_of(points.subspan(from, to - from));
    from = to;
    double top = values ? area.row(values->high) : NAN, bottom = values ? area.row(values->low) : NAN;
    if (std::isfinite(top) && std::isnan(bottom)) bottom = bottom_end;  // below zero on a log axis
    const double own_top = top, own_bottom = bottom;
    if (top > bottom_before) top = bottom_before;
    if (bottom < top_before) bottom = top_before;
    top_before = own_top, bottom_before = own_bottom;
    if (std::isfinite(top)) pen.column(x, top, bottom);
  }
}

}  // namespace

double PlotArea::column(double value) const {
  return rect.min.x + position_of(value, x, log_x) * double(rect.width());
}
double PlotArea::row(double value) const {
  return rect.max.y - position_of(value, y, log_y) * double(rect.height());
}
double PlotArea::x_at(double column) const {
  return figure::value_at((column - rect.min.x) / std::max(rect.width(), 1.0f), x, log_x);
}

ImU32 colour_of(const DrawnLine& series) {
  return series.stroke == Stroke::kPinned ? ui::fade(series.colour, 0.5f) : series.colour;
}

void draw_series(ImDrawList& list, const PlotArea& area, const DrawnLine& series) {
  Pen pen(list, area, series);
  const Points points = series.points;
  const size_t first = lower_bound(points, area.x.low);
  size_t last = lower_bound(points, area.x.high);
  while (last < points.size() && points[last].x == area.x.high && last - first < 64) ++last;
  if (float(last - first) > 2 * area.rect.width())
    by_column(pen, area, points, first, last);
  else
    by_point(pen, area, series, first, last);
}

void draw_sample(ImDrawList& list, const Rect& rect, const DrawnLine& series) {
  const PlotArea area{rect, {0, 1}, {0, 1}, false, false};
  Pen pen(list, area, series);
  const Pixels left{rect.min.x, (rect.min.y + rect.max.y) / 2}, right{rect.max.x, left.y};
  pen.segment(left, right);
  const Pixels middle{(left.x + right.x) / 2, left.y};
  if (series.stroke != Stroke::kGuess && series.stroke != Stroke::kFormula) pen.dot(middle);
  if (series.stroke == Stroke::kFormula) {
    const double tick = px(4);
    pen.segment({right.x - 1, right.y - tick}, {right.x - 1, right.y + tick});
  }
}

std::optional<Point> nearest_point(Points points, double x) {
  const size_t after = lower_bound(points, x);
  std::optional<Point> best;
  for (size_t i = after > 0 ? after - 1 : 0; i <= after && i < points.size(); ++i) {
    const Point p = points[i];
    if (!std::isfinite(p.y)) continue;
    if (!best || std::abs(p.x - x) < std::abs(best->x - x)) best = p;
  }
  return best;
}

size_t lower_bound(Points points, double x) {
  return size_t(std::ranges::lower_bound(points, x, {}, &Point::x) - points.begin());
}

std::optional<Range> range_of(Points points) {
  std::optional<Range> found;
  for (const Point& point : points) {
    if (!std::isfinite(point.y)) continue;
    found = found ? Range{std::min(found->low, point.y), std::max(found->high, point.y)}
                  : Range{point.y, point.y};
  }
  return found;
}

}  // namespace ringside
