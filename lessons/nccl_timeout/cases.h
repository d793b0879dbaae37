// A case is data: what one rank does wrong, what else a learner may suspect, and what mends it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ringside/faults/plan.h"
#include "ringside/lesson/config.h"
#include "training.h"

namespace ringside::nccl_lesson {

struct Cause {
  const char* id;    // "one_batch_more"
  const char* says;  // behind the rank: "has one batch more than the others"
  const char* fix;   // "as many batches on every rank: drop the last one"
  Mistake mistake = Mistake::kNone;
  bool of_rank_zero = false;             // else any other rank, drawn from the seed
  std::array<const char*, 4> options{};  // what a learner may answer
};
const Cause& cause_of(const std::string& id);  // one of those that exist

struct Culprit {
  std::string cause;
  int rank = -1;  // -1: none, of a fault plan of one's own
};
inline constexpr int kCases = 13, kCasesOfOneLine = 4;
// Act 1: one rank's input never comes.
Culprit culprit_of_symptom(const Config& config);
// 1 to 4: the four causes behind one log line, in an order that the seed draws. 5 to 13: a cause each.
Culprit culprit_of_case(const Config& config, int which);
// Every cause that may be answered, in the order of the cases: for the parameter.
std::vector<std::string> causes();

// Makes the training go wrong, by a mistake of its loop or by a fault.
void plan(const Culprit& culprit, Training& training, FaultPlan& faults);
// What mends it: the mistake is no longer made, or no longer matters.
void mend(const Culprit& culprit, Training& training, FaultPlan& faults);

}  // namespace ringside::nccl_lesson
