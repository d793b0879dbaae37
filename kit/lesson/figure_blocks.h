// Figures that need no function: what their blocks say (lesson_of.h) of recorded tables and curves.
#pragma once

#include "ringside/lesson/lesson_of.h"

namespace ringside::inline kit {

// Of a block that has a table, curves or lines.
FigureValue value_of(const TextBlock& block, const FigureMarks& marks);

}  // namespace ringside::inline kit
