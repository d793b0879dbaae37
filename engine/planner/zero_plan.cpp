#include "ringside/planner/zero_plan.h"

#include "ringside/base/error.h"
#include "zero_formula.h"

namespace ringside {

void check_zero(int ranks, const Distribution& distribution) {
  const auto stage = distribution.stage;
  const auto accumulate = distribution.accumulate;
  if (ranks < 1) throw UsageError("ranks=" + std::to_string(ranks) + ": at least 1");
  if (stage < 0 || stage > 3) throw UsageError("stage=" + std::to_string(stage) + ": allowed are 0 to 3");
  if (accumulate < 1) throw UsageError("accumulate=" + std::to_string(accumulate) + ": at least 1");
}

StateWidths state_widths(Precision precision, const OptimizerConfig& optimizer) {
  constexpr int64_t kMaster = 4;  // the fp32 copy that bf16 parameters are rounded from
  const auto state = static_cast<int64_t>(4 * kept_state(optimizer).size());
  if (precision == Precision::kFloat32) return {4, 4, state};
  return {2, 2, kMaster + state};
}

StateBytes zero_state(const ZeroSetup& setup) {
  check_zero(setup.ranks, setup);
  const StateWidths width = state_widths(setup.precision, setup.optimizer);
  const StateParts parts = state_parts(setup.stage, setup.ranks);
  const auto kept = [&](double elements, int64_t bytes, int64_t of_ranks) {
    return elements * static_cast<double>(bytes * of_ranks) / setup.ranks;
  };
  return {kept(setup.parameters + setup.frozen, width.parameter, parts.parameters),
          kept(setup.parameters, width.gradient, parts.gradients),
          kept(setup.parameters, width.optimizer, parts.optimizer)};
}

TrafficElements zero_traffic(const ZeroSetup& setup) {
  check_zero(setup.ranks, setup);
  const auto times = transfers_per_step(setup);
  const double f = static_cast<double>(setup.ranks - 1) / setup.ranks;
  return {static_cast<double>(times.gradients) * f * setup.parameters,
          static_cast<double>(times.parameters) * f * setup.parameters +
              static_cast<double>(times.frozen) * f * setup.frozen};
}

}  // namespace ringside
