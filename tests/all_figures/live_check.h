// The live panel's figures are those of the ledger, of the document and of the saved trace at the same
// instant, and move in the lessons that train.
#pragma once

#include "ringside/lesson/lesson.h"

namespace ringside::figure {

void check_live(const Lesson& lesson, const Config& config, const Trace& trace);
void check_live_document(const Lesson& lesson, const Config& config, const Trace& trace);
void check_live_reopened(const Lesson& lesson, const Config& config, const Trace& trace);

}  // namespace ringside::figure
