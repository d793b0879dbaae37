// A lesson's parameters by their blocks (lesson/text_blocks.h):
//
//   [stage]
//   means    which stage trains to the end
//   value    all                            the default, as one would type it
//   choice   all | one after the other      one of several, with what it means or without
//   suggest  self                           free text, and what a front end offers
//   range    1 8                            a number; "real" behind it: not a whole one
//   unit     ranks
#pragma once

#include <vector>

#include "ringside/lesson/config.h"
#include "ringside/lesson/text_blocks.h"

namespace ringside {

std::vector<ParameterSpec> parameters_of(const TextBlocks& blocks);  // InvariantError for one that is none

}  // namespace ringside
