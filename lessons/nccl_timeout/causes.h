// What goes wrong in the lesson's runs, as fault plans, and who does it.
#pragma once

#include <string>
#include <vector>

#include "ringside/faults/plan.h"
#include "ringside/lesson/config.h"
#include "training.h"

namespace ringside::nccl_lesson {

struct Culprit {
  std::string cause;  // late_gather, one_batch_more, evaluates_alone, killed; act 1: stuck_loader
  int rank = 0;
};

// Act 1: one rank's input never comes. Nothing that concerns hidden states.
Culprit culprit_of_symptom(const Config& config);
// Act 5: which of the four causes is which case, and who, is drawn from the seed. case: 1 .. 4
Culprit culprit_of_case(const Config& config, int which);

FaultPlan plan_of(const Culprit& culprit, const Training& training);

// "has one batch more"
std::string in_words(const std::string& cause);
// "the same number of batches on every rank: drop the last, or join"
std::string fix_of(const std::string& cause);
// What that fix changes: the fault no longer happens, or no longer matters.
void apply_fix(const Culprit& culprit, Training& training, FaultPlan& faults);

}  // namespace ringside::nccl_lesson
