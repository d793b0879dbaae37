// The summary of a lesson that has none of its own: its first figure, and what every run leaves behind.
#pragma once

#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside {

// Without the figure where all of them follow.
std::string plain_summary(const Lesson& lesson, const Config& config, const Trace& trace, int width,
                          bool colour, bool with_figure);

}  // namespace ringside
