// ZeRO's formulas, once, as whole multiples of 1/N. The planner's figures at any
// scale (doubles) and the ledger's whole bytes both come from these lines.
#pragma once

#include <cstdint>

#include "ringside/planner/zero_plan.h"

namespace ringside {

// Of N equal parts of a state, the parts that one rank keeps: N or 1.
struct StateParts {
  int64_t parameters, gradients, optimizer;
};
inline StateParts state_parts(int stage, int64_t ranks) {
  return {stage >= 3 ? 1 : ranks, stage >= 2 ? 1 : ranks, stage >= 1 ? 1 : ranks};
}

// In one step, how often one rank sends f = (N-1)/N of all elements. A
// reduce-scatter and an all-gather cost f each, an all-reduce is both: 2f.
struct TransfersPerStep {
  int64_t gradients, parameters, frozen;
};
inline bool reduces_by_all_reduce(const Distribution& d) {
  return d.stage == 0 || (d.stage < 3 && d.reduce == ReduceMode::kAllReduce);
}
inline TransfersPerStep transfers_per_step(const Distribution& d) {
  // Stages 2 and 3 keep no full gradient to accumulate in: every micro-batch is reduced.
  const int64_t reductions = d.stage >= 2 ? d.accumulate : 1;
  const int64_t cost = reduces_by_all_reduce(d) ? 2 : 1;
  // Stage 3 gathers for the forward of every micro-batch and, where it dropped what it had (reshard),
  // again for the backward.
  const int64_t gathers = d.stage == 0 ? 0 : d.stage == 3 ? (d.reshard ? 2 : 1) * d.accumulate : 1;
  return {reductions * cost, gathers, d.stage == 3 ? gathers : 0};
}

// UsageError naming the value and what is allowed.
void check_zero(int ranks, const Distribution& distribution);

}  // namespace ringside
