// Levels of heights, and where a height lies among them.
#pragma once

#include <utility>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

// The least and the highest that are finite; infinity and its negative where none is.
std::pair<double, double> ends_of(const Contours& contours);

// The figure's own, or ten between the least and the highest: even, in the logarithm where all heights are
// positive.
std::vector<double> levels_of(const Contours& contours);

// The height at a place of the grid's axes, between 0 and 1 each: of the nearest point.
double height_at(const Contours& contours, double x, double y);

}  // namespace ringside::figure
