// What the source's documents say about the timeout, each put to the trace.
#pragma once

#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

std::vector<ClaimSpec> claims();

}  // namespace ringside::nccl_lesson
