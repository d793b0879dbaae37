// What the axes of a figure reach: over all that lies on them, unless an axis has ends of its own.
#pragma once

#include "ringside/figures/axis.h"
#include "ringside/lesson/figure.h"

namespace ringside::figure {

Range range_of(const Axis& axis, double least, double most);  // the axis' own ends come first; usable

struct LineRanges {
  Range x, y;
};
LineRanges ranges_of(const Lines& lines);
Range range_of(const Bars& bars);  // from zero, or from a tenth of the least value on a logarithmic axis
Range range_of(const Lanes& lanes);
Range range_of(const Matrix& matrix);  // of its shades

double total_of(const BarRow& row);  // NaN where it has no value

}  // namespace ringside::figure
