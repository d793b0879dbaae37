// Who changes what an optimizer needs whole. Under ZeRO a parameter lies in shards; its owner gets the parts
// of the other ranks, and sends them back changed.
//
// The parameter with the most work comes first, and goes to the rank that has the least so far: Graham 1969,
// "Bounds on Multiprocessing Timing Anomalies", doi:10.1137/0117039. The most loaded rank has at most 4/3 of
// what the best choice gives it.
#pragma once

#include <cstdint>
#include <vector>

#include "ringside/optim/optimizer.h"
#include "ringside/planner/buckets.h"

namespace ringside::inline planner {

// Tags of what an update exchanges.
inline constexpr char kUpdateSums[] = "sums", kMatrices[] = "matrices";

// What a shard of a bucket has of a parameter: elements [first, first + count) of it.
struct ShardPart {
  int64_t first = 0, count = 0;
};
ShardPart part_of_shard(const BucketSlot& slot, int64_t shard_elements, int64_t place);

struct WholeParameter {
  int parameter = 0;  // index into the shapes
  int64_t elements = 0;
  int owner = 0;  // place among the ranks that share a copy of the model
  double work = 0;
  BucketSlot slot{};
  int64_t shard_elements = 0;

  ShardPart part(int64_t place) const { return part_of_shard(slot, shard_elements, place); }
};

// Those that the optimizer needs whole, in the order of the buckets.
std::vector<WholeParameter> whole_parameters(const Optimizer& optimizer,
                                             const std::vector<ParameterShape>& shapes,
                                             const std::vector<Bucket>& buckets, int ranks);

}  // namespace ringside::inline planner
