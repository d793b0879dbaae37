// Which ranks hold shards together where the model is kept M = replicas times. The N ranks stand in M groups
// of n = N/M neighbours, say the GPUs of a node. Every group holds every shard, so that parameters are
// gathered inside a group; gradients are summed inside the group first, then between the ranks that hold the
// same shard. FSDP's HYBRID_SHARD; MiCS, Zhang et al. 2022, arXiv:2205.00119.
//
//   N = 4, M = 2:   inside {0,1} {2,3}   between {0,2} {1,3}
//
// ZeRO++'s hpZ (arXiv:2306.10209) is another scheme: a second copy of the parameters alone lies inside a
// node; gradients and optimizer state stay cut over all ranks.
#pragma once

#include <cstdint>

#include "ringside/planner/distribution.h"

namespace ringside {

// The tag of the all-reduce between groups; what is summed inside a group is "gradients".
inline constexpr char kGradientsBetween[] = "gradients between";

// n, the ranks over which one copy is cut.
inline int64_t shard_ranks(int64_t ranks, const Distribution& distribution) {
  return ranks / distribution.replicas;
}

// UsageError naming what is allowed: M divides N, and stage 0, which cuts nothing, has M = 1.
void check_replicas(int ranks, const Distribution& distribution);

}  // namespace ringside
