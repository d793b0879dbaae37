// A planned fault as a sentence, for people who do not know the file's keys.
#pragma once

#include <string>

#include "ringside/faults/plan.h"

namespace ringside {

// "rank 2 sleeps for 1.5 s before call 0 of gradients, step 5"
std::string in_words(const Fault& fault);

}  // namespace ringside
