// A case is data (cases.inc): what one rank does wrong, what else a learner may suspect, and what mends it.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/config.h"
#include "ringside/lesson/question_text.h"
#include "training.h"

namespace ringside::nccl_lesson {

const TextBlocks& causes();

struct Culprit {
  std::string cause = {};
  int rank = -1;  // -1: none, of a fault plan of one's own
};
// Act 1: one rank's input never comes.
Culprit culprit_of_symptom(const Config& config);
// 1 to 4: the four causes behind one log line, in an order that the seed draws. 5 to 13: a cause each.
Culprit culprit_of_case(const Config& config, int which);

// Makes the training go wrong, by a mistake of its loop or by a fault; FaultPlan{} where by the loop alone.
FaultPlan plan(const Culprit& culprit, Training& training);
// What mends it: the mistake is no longer made, or no longer matters.
void mend(const Culprit& culprit, Training& training);
// Attributes of a case's section: the truth, and what may be answered.
Attributes truth(const Culprit& culprit);

inline constexpr int kLonger = 3;  // times the deadline: what most people try first

}  // namespace ringside::nccl_lesson
