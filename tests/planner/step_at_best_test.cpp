#include "ringside/planner/step_at_best.h"

#include "catch.h"

using namespace ringside;

namespace {

double at(StepAtBest step, int stage) { return seconds_of_step(step, stage); }

}  // namespace

TEST_CASE("a step at best: what can be hidden is, and accumulation is paid for by stages 2 and 3") {
  const double c = 3, C = 4;
  CHECK(at({c, C}, 0) == Approx(c + 2 * C - 2));
  CHECK(at({c, C}, 1) == Approx(at({c, C}, 0)));  // C is more than backward hides
  CHECK(at({c, C}, 3) == Approx(c + C - 1 + 2 * C - 2));
  CHECK(at({4 * c, C}, 3) == Approx(4 * c));
  CHECK(at({4 * c, C}, 1) == Approx(4 * c + C));
  CHECK(at({c, C, 8}, 0) == Approx(at({c, C}, 0) + 7 * c));
  CHECK(at({c, C, 8}, 2) == Approx(8 * (c + C - 2) + C));
  CHECK(at({c, C, 8}, 3) == Approx(8 * at({c, C}, 3)));
  for (int stage = 0; stage < 4; ++stage) CHECK(at({c, 0}, stage) == Approx(c));
}

TEST_CASE("a step at best: without overlap or prefetch more is waited for") {
  const double c = 3, C = 4;
  CHECK(at({c, C, 1, false}, 0) == Approx(c + 2 * C));
  CHECK(at({c, C, 1, false}, 3) == Approx(c + C - 1 + C + C - 2));
  CHECK(at({c, C, 1, true, false}, 3) == Approx(c + 2 * C + C - 2));
}
