// What the room draws of the lesson beside its panel's own pictures, and the terminal prints.
#pragma once

#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::zero_lesson {

std::vector<FigureSpec> figures();
// Which trainings end with the same bits, and where the others part. Ids "bits", "orders".
std::vector<FigureSpec> bit_figures();

}  // namespace ringside::zero_lesson
