// The finished run as text: the point in ten seconds, 80 to 100 columns.
#pragma once

#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside::zero_lesson {

std::string summarize(const Config& config, const Trace& trace, int width, bool colour);

}  // namespace ringside::zero_lesson
