// A question in words of each kind, for the tests of front ends.
#pragma once

#include "ringside/lesson/lesson.h"

namespace ringside::lessons::faults {

std::vector<PredictionSpec> word_questions();

}  // namespace ringside::lessons::faults
