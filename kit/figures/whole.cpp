#include "ringside/figures/whole.h"

#include <algorithm>
#include <cmath>

namespace ringside::figure {
namespace {

bool is_whole(double value) { return !std::isfinite(value) || value == std::round(value); }

bool points_are_whole(const Lines& lines, double Point::*of, bool on_x) {
  for (const Line& line : lines.lines)
    if (!std::ranges::all_of(line.points, [&](const Point& p) { return is_whole(p.*of); })) return false;
  return std::ranges::all_of(lines.marks,
                             [&](const Mark& mark) { return mark.on_x != on_x || is_whole(mark.at); });
}

}  // namespace

bool is_whole(const Bars& bars) {
  for (const BarRow& row : bars.rows)
    if (!std::ranges::all_of(row.values, [](double v) { return is_whole(v); })) return false;
  return !bars.limit || is_whole(bars.limit->at);
}

bool is_whole(const Lanes& lanes) {
  const auto both = [](const auto& one) { return is_whole(one.from) && is_whole(one.to); };
  return std::ranges::all_of(lanes.items, both) && std::ranges::all_of(lanes.arrows, both);
}

bool x_is_whole(const Lines& lines) { return points_are_whole(lines, &Point::x, true); }
bool y_is_whole(const Lines& lines) { return points_are_whole(lines, &Point::y, false); }

Unit unit_of(const Axis& axis, bool whole) {
  Unit unit = unit_of(axis.unit);
  unit.whole = whole && unit.kind == Unit::Kind::kPlain;
  return unit;
}

}  // namespace ringside::figure
