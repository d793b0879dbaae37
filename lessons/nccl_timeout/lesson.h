// The parts of the lesson, as experiment.cpp puts them together.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/lesson_of.h"

namespace ringside::nccl_lesson {

const TextBlocks& texts();  // texts.inc
std::vector<QuestionOf> questions();
std::string context_of_bucket();                   // the groups of gradients, with the model's sums
std::vector<ClaimOf> claims();                     // what the source's documents say
std::vector<FigureOf> figures();                   // but those of any hang (figures/hang.h)
std::string line_of_source(const Config& config);  // the log line of the source, with the scenario's number

void run(const Config& config, const RunContext& context);
StepTimer step_timer(const Config& config);
// Names what went against what the engine promises: a run that should have ended by itself and hung, or one
// that should have hung and did not; a report that names another rank than the planned one. "" where nothing.
std::string failed_check(const Trace& trace);
std::string summarize(const Config& config, const Trace& trace, int width, bool colour);

}  // namespace ringside::nccl_lesson
