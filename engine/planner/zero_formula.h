// ZeRO's formulas, in multiples of 1/N, for the planner's figures (doubles) and the ledger's whole bytes.
#pragma once

#include <cstdint>

#include "ringside/planner/run_mesh.h"
#include "ringside/planner/zero_plan.h"

namespace ringside::inline planner {

// Of N equal parts of a state, those that one rank keeps: N, or of its shard M (1 without replicas).
struct StateParts {
  int64_t parameters, gradients, optimizer;
};
inline StateParts state_parts(const Distribution& d, int64_t ranks) {
  const auto kept = [&](int cut_from) { return d.stage >= cut_from ? d.replicas : ranks; };
  return {kept(3), kept(2), kept(1)};
}

// Stages 2 and 3 then add whole gradients up, beside their shard, between micro-batches.
inline bool keeps_whole_gradients(const Distribution& d) {
  return d.no_sync && d.stage >= 2 && d.accumulate > 1;
}

// In one step, how often one rank sends f = (n-1)/n = (N-M)/N of all elements, inside its group of n = N/M
// ranks. A reduce-scatter and an all-gather cost f each, an all-reduce is both: 2f. Between the M groups each
// rank all-reduces its shard once a step: 2 (M-1)/M of 1/n, that is 2 (M-1)/N.
struct TransfersPerStep {
  int64_t gradients, parameters, frozen;
};
inline bool reduces_by_all_reduce(const Distribution& d) {
  return d.stage == 0 || (d.stage < 3 && d.reduce == ReduceMode::kAllReduce);
}
inline TransfersPerStep transfers_per_step(const Distribution& d) {
  // Stages 2 and 3 keep a full gradient to accumulate in with no_sync alone; else all are reduced.
  const int64_t reductions = d.stage >= 2 && !d.no_sync ? d.accumulate : 1;
  const int64_t cost = reduces_by_all_reduce(d) ? 2 : 1;
  // Stage 3 gathers for every micro-batch's forward, and with reshard again for its backward.
  const int64_t gathers = d.stage == 0 ? 0 : d.stage == 3 ? (d.reshard ? 2 : 1) * d.accumulate : 1;
  return {reductions * cost, gathers, d.stage == 3 ? gathers : 0};
}

// UsageError naming the value and what is allowed.
void check_zero(int ranks, const Distribution& distribution);

}  // namespace ringside::inline planner
