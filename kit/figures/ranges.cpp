#include "ranges.h"

#include <algorithm>
#include <cmath>

namespace ringside::figure {
namespace {

// Of what has a place on the axis.
struct Ends {
  const Axis& axis;
  double least = HUGE_VAL, most = -HUGE_VAL;
  void take(double value) {
    if (!std::isfinite(value) || (axis.log && value <= 0)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  Range range() const { return range_of(axis, least, most); }
};

}  // namespace

Range range_of(const Axis& axis, double least, double most) {
  return usable({axis.least.value_or(least), axis.most.value_or(most)}, axis.log);
}

LineRanges ranges_of(const Lines& lines) {
  Ends x{lines.x}, y{lines.y};
  for (const Line& line : lines.lines)
    for (const Point& point : line.points)
      if (!std::isnan(point.y)) x.take(point.x), y.take(point.y);
  for (const Mark& mark : lines.marks) (mark.on_x ? x : y).take(mark.at);
  return {x.range(), y.range()};
}

Range range_of(const Bars& bars) {
  Ends ends{bars.value};
  for (const BarRow& row : bars.rows) {
    if (bars.stacked) ends.take(total_of(row));
    for (const double value : row.values)
      if (!bars.stacked) ends.take(value);
  }
  if (bars.limit) ends.take(bars.limit->at);
  return range_of(bars.value, bars.value.log ? ends.least / 10 : std::min(ends.least, 0.0),
                  std::max(ends.most, 0.0));
}

Range range_of(const Lanes& lanes) {
  Ends ends{lanes.at};
  for (const LaneItem& item : lanes.items) ends.take(item.from), ends.take(item.to);
  for (const LaneArrow& arrow : lanes.arrows) ends.take(arrow.from), ends.take(arrow.to);
  return ends.range();
}

Range range_of(const Matrix& matrix) {
  const Axis shades{.name = "", .least = matrix.least, .most = matrix.most};
  Ends ends{shades};
  for (const MatrixCell& cell : matrix.cells)
    if (cell.state == MatrixCell::State::kValue) ends.take(cell.value);
  return ends.range();
}

double total_of(const BarRow& row) {
  double sum = kNone;
  for (const double value : row.values)
    if (!std::isnan(value)) sum = std::isnan(sum) ? value : sum + value;
  return sum;
}

}  // namespace ringside::figure
