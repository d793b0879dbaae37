// Axes: those of figures, so that the terminal and the room write the same ticks.
#pragma once

#include "ringside/figures/axis.h"

namespace ringside::ui {

using figure::Extent;
using figure::format_value;
using figure::position_of;
using figure::Range;
using figure::round_out;
using figure::round_step;
using figure::Tick;
using figure::ticks_of;
using figure::Unit;
using figure::usable;
using figure::value_at;

}  // namespace ringside::ui
