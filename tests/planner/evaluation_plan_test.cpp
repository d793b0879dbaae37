// How often a run evaluates, and in how many batches, by hand.
#include "ringside/planner/evaluation_plan.h"

#include "catch.h"

using namespace ringside;

TEST_CASE("how often a run evaluates, and in how many batches, counted one by one") {
  for (int64_t every = -1; every <= 4; ++every) {
    for (int64_t planned = 1; planned <= 9; ++planned) {
      for (int64_t taken = 0; taken <= planned; ++taken) {
        int64_t evaluations = every >= 0 ? 1 : 0;
        for (int64_t step = 1; step <= taken; ++step)
          if (every > 0 && step < planned && step % every == 0) ++evaluations;
        INFO("every " << every << ", " << taken << " of " << planned);
        CHECK(count_evaluations(every, taken, taken == planned) == evaluations);
      }
    }
  }
  CHECK(count_evaluation_batches(7, 3, 2) == 2);
  CHECK(count_evaluation_batches(7, 8, 2) == 1);
  CHECK(count_evaluation_batches(0, 4, 2) == 1);  // an empty share is a forward pass too
  CHECK(count_evaluation_batches(9, 2, 5) == 1);
  CHECK(count_evaluation_batches(11, 2, 5) == 2);
}
