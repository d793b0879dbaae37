// The lesson's run: the acts that the scenario asks for, one after the other.
#pragma once

#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

void run(const Config& config, const RunContext& context);

// Names what went against what the engine promises: a run that should have ended by itself and hung, or one
// that should have hung and did not; a report that names another rank than the planned one. "" where nothing.
std::string failed_check(const Trace& trace);

}  // namespace ringside::nccl_lesson
