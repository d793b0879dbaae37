// The figures by which two runs of the ZeRO lesson are compared.
#pragma once

#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::zero_lesson {

std::vector<Gauge> gauges();

}  // namespace ringside::zero_lesson
