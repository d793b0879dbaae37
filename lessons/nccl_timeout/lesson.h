// The parts of the lesson, as experiment.cpp puts them together.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

std::vector<PredictionSpec> predictions();  // what the learner is asked before the run shows it
std::vector<ClaimSpec> claims();            // what the source's documents say
std::vector<FigureSpec> figures();
std::string line_of_source(const Config& config);  // the log line of the source, with the scenario's number

void run(const Config& config, const RunContext& context);
StepTimer step_timer(const Config& config);
// Names what went against what the engine promises: a run that should have ended by itself and hung, or one
// that should have hung and did not; a report that names another rank than the planned one. "" where nothing.
std::string failed_check(const Trace& trace);
std::string summarize(const Config& config, const Trace& trace, int width, bool colour);

// The evidence of a claim whose acts the scenario leaves out.
inline constexpr char kActsNotRun[] = "the acts that show it were not run; act=all runs them";

}  // namespace ringside::nccl_lesson
