// What `ringside say` makes of typed answers to a lesson's question: spoken/ID.txt lists good, middling and
// wrong ones, each with the points that shared words propose.
#pragma once

#include <string>

#include "saying.h"

namespace ringside::figure {

// Nothing where the lesson has no such file. Good answers are accepted, wrong ones never.
void check_spoken(const std::string& lesson, const Saying& saying);

}  // namespace ringside::figure
