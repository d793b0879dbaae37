// A step of the stage, or the stages, that a scenario trains: for `ringside bench step`.
#pragma once

#include "ringside/lesson/lesson.h"

namespace ringside::zero_lesson {

StepTimer step_timer(const Config& config);

}  // namespace ringside::zero_lesson
