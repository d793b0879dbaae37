// How often a run evaluates, and in how many batches, from the configuration alone.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ringside::inline planner {

// Of a run that takes `steps` steps: after every `every`-th but the last, and once at its
// end; every 0: at the end alone, -1: never. A run that is cancelled before its last step (whole: false) is
// at its end too. first: steps that another run had taken, whose checkpoint this one resumed from.
inline int64_t count_evaluations(int64_t every, int64_t steps, bool whole, int64_t first = 0) {
  if (every < 0) return 0;
  const int64_t before_the_end = whole ? std::max<int64_t>(0, steps - 1) : steps;
  return 1 + (every == 0 ? 0 : before_the_end / every - std::min(first, before_the_end) / every);
}

// Forward passes of one evaluation: on every rank as many as the longest share of the samples needs.
inline int64_t count_evaluation_batches(int64_t samples, int64_t ranks, int64_t rows) {
  const int64_t longest = (samples + ranks - 1) / ranks;
  return std::max<int64_t>(1, (longest + rows - 1) / rows);
}

}  // namespace ringside::inline planner
