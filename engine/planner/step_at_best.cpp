#include "ringside/planner/step_at_best.h"

#include <algorithm>

namespace ringside::inline planner {
namespace {

double beyond(double time, double window) { return std::max(time - window, 0.0); }

}  // namespace

double seconds_of_step(const StepAtBest& step, int stage) {
  const auto g = double(step.micro_batches);
  const double c = step.compute, C = step.collective;
  const double window = step.overlap ? 2 * c / 3 : 0;
  if (stage == 0) return g * c + beyond(2 * C, window);
  if (stage == 1) return g * c + beyond(C, window) + C;
  if (stage == 2) return g * (c + beyond(C, window)) + C;
  if (!step.prefetch) return g * (c + 2 * C + beyond(C, window));
  const double backward = step.overlap ? beyond(2 * C, window) : C + beyond(C, 2 * c / 3);
  return g * (c + beyond(C, c / 3) + backward);
}

}  // namespace ringside::inline planner
