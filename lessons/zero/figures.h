// What the room draws of the lesson beside its panel's own pictures, and the terminal prints.
#pragma once

#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::zero_lesson {

std::vector<FigureSpec> figures();

}  // namespace ringside::zero_lesson
