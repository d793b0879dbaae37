#include "ringside/planner/evaluation_plan.h"

#include <algorithm>

namespace ringside {

int64_t count_evaluations(int64_t every, int64_t steps, bool whole) {
  if (every < 0) return 0;
  const int64_t before_the_end = whole ? std::max<int64_t>(0, steps - 1) : steps;
  return 1 + (every == 0 ? 0 : before_the_end / every);
}

int64_t count_evaluation_batches(int64_t samples, int64_t ranks, int64_t rows) {
  const int64_t longest = (samples + ranks - 1) / ranks;
  return std::max<int64_t>(1, (longest + rows - 1) / rows);
}

}  // namespace ringside
