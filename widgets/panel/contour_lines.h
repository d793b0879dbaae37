// Lines of equal height in a grid of heights, by marching squares. Places are parts of the grid: 0 to 1.
#pragma once

#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside {

struct ContourSegment {
  figure::Point from, to;
};
struct ContourLine {
  double height = 0;
  std::vector<ContourSegment> segments;
};

// The figure's own, else ten between the least and the greatest height.
std::vector<double> contour_levels(const figure::Contours& contours);
// One line a level. Of a fine grid, or where lines are long, fewer places are read.
std::vector<ContourLine> contour_lines(const figure::Contours& contours, const std::vector<double>& levels);
// Between the four points around the place; NaN where one of them has no height.
double contour_height(const figure::Contours& contours, double across, double up);

}  // namespace ringside
