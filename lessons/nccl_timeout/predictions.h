// What the learner is asked before the run shows it.
#pragma once

#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

std::vector<PredictionSpec> predictions();

}  // namespace ringside::nccl_lesson
