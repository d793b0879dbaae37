// What the source's documents say about the timeout, each put to the trace.
#pragma once

#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

std::vector<ClaimSpec> claims();

// The evidence of a claim whose acts the scenario leaves out.
inline constexpr char kActsNotRun[] = "the acts that show it were not run; act=all runs them";

}  // namespace ringside::nccl_lesson
