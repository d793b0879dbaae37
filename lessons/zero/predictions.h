// What a learner is asked before the run, with the misconceptions whose formula is known.
#pragma once

#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::zero_lesson {

std::vector<PredictionSpec> predictions();

}  // namespace ringside::zero_lesson
