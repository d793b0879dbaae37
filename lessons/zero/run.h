// The run behind the lesson.
#pragma once

#include "ringside/lesson/lesson.h"

namespace ringside::zero_lesson {

void run(const Config& config, const RunContext& context);

// Unexplained bytes, ranks that disagree, bits that should agree and do not; "" where all is well.
std::string failed_check(const Trace& trace);

}  // namespace ringside::zero_lesson
