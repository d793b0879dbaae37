// How one series becomes strokes: by point where there are few, by pixel column
// where there are many.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ringside/figures/axis.h"
#include "ringside/lesson/figure.h"
#include "ringside/widgets/draw.h"

namespace ringside {

using Points = std::span<const figure::Point>;

struct DrawnLine {
  std::string name;
  ImU32 colour = 0;
  figure::Stroke stroke = figure::Stroke::kMeasured;
  Points points;
};

struct PlotArea {
  ui::Rect rect;
  figure::Range x, y;
  bool log_x = false, log_y = false;
  double column(double value) const;  // pixels; NaN where there is no place
  double row(double value) const;
  double x_at(double column) const;
};

void draw_series(ImDrawList& list, const PlotArea& area, const DrawnLine& series);
// A short sample of the stroke, in the legend.
void draw_sample(ImDrawList& list, const ui::Rect& rect, const DrawnLine& series);
ImU32 colour_of(const DrawnLine& series);
// The finite point whose x is nearest; none where there is none beside it.
std::optional<figure::Point> nearest_point(Points points, double x);
size_t lower_bound(Points points, double x);           // the first at or after x
std::optional<figure::Range> range_of(Points points);  // of the finite y

}  // namespace ringside
