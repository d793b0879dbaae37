// What a finished run says about the lesson's claims and predictions.
#pragma once

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

// The trace's own rows, with a verdict for each claim and an answer for each
// prediction (as measured; by the formula where the run measured none). Of an
// incomplete trace every claim is not_testable. A wrong answer within 5% of the right one,
// or NaN (its formula does not apply to this scenario), is left out. A claim or prediction that throws
// is an InvariantError naming it.
TraceRows judge(const Lesson& lesson, const Config& config, const Trace& trace);

}  // namespace ringside::inline kit
