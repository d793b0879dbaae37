#include "ringside/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline optim {

double schedule_factor(const Schedule& schedule, int64_t step) {
  if (schedule.name != "constant" && schedule.name != "linear" && schedule.name != "cosine")
    throw UsageError("schedule={}: allowed are constant, linear, cosine", as_typed(schedule.name));
  if (schedule.warmup < 0) throw UsageError("warmup={}: allowed is 0 or more", schedule.warmup);
  if (step < schedule.warmup) return double(step + 1) / double(schedule.warmup);
  const auto after = double(std::max<int64_t>(schedule.total - schedule.warmup, 1));
  const double x = std::min(double(step - schedule.warmup) / after, 1.0);
  if (schedule.name == "constant") return 1.0;
  if (schedule.name == "linear") return 1.0 - x;
  return 0.5 * (1.0 + std::cos(std::numbers::pi * x));
}

}  // namespace ringside::inline optim
