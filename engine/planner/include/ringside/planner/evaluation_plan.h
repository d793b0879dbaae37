// How often a run evaluates, and in how many batches, from the configuration alone.
#pragma once

#include <cstdint>

namespace ringside {

// Of a run that takes `steps` steps: after every `every`-th but the last, and once at its
// end; every 0: at the end alone, -1: never. A run that is cancelled before its last step (whole: false) is
// at its end too.
int64_t count_evaluations(int64_t every, int64_t steps, bool whole);

// Forward passes of one evaluation: on every rank as many as the longest share of the samples needs.
int64_t count_evaluation_batches(int64_t samples, int64_t ranks, int64_t rows);

}  // namespace ringside
