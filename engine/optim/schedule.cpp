#include "ringside/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ringside/base/error.h"

namespace ringside::inline optim {

double schedule_factor(const Schedule& schedule, int64_t step) {
  if (step < schedule.warmup) return static_cast<double>(step + 1) / static_cast<double>(schedule.warmup);
  const auto after = static_cast<double>(std::max<int64_t>(schedule.total - schedule.warmup, 1));
  const double x = std::min(static_cast<double>(step - schedule.warmup) / after, 1.0);
  if (schedule.name == "constant") return 1.0;
  if (schedule.name == "linear") return 1.0 - x;
  if (schedule.name == "cosine") return 0.5 * (1.0 + std::cos(std::numbers::pi * x));
  throw UsageError("schedule=" + schedule.name + ": allowed are constant, linear, cosine");
}

}  // namespace ringside::inline optim
