// Whether a figure only counts: then its ticks and values are written as whole numbers.
#pragma once

#include "ringside/figures/axis.h"
#include "ringside/lesson/figure.h"

namespace ringside::figure {

bool is_whole(const Bars& bars);
bool is_whole(const Lanes& lanes);
bool x_is_whole(const Lines& lines);
bool y_is_whole(const Lines& lines);
// Of an axis that only counts, where `whole`; bytes and seconds have their prefixes.
Unit unit_of(const Axis& axis, bool whole);

}  // namespace ringside::figure
