// A step of the training that the acts have in common, without a fault: for `ringside bench step`.
#pragma once

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

StepTimer step_timer(const Config& config);

}  // namespace ringside::nccl_lesson
