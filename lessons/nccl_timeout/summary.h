// What a finished run prints: act by act, the point of each in one line.
#pragma once

#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

std::string summarize(const Config& config, const Trace& trace, int width, bool colour);

}  // namespace ringside::nccl_lesson
