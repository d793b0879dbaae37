// How parameters are laid into flat buckets, shared by the planner and the engine.
//
// Buckets are filled in the order in which gradients arrive in a backward pass:
// the last parameter first. A bucket is closed before a parameter that would lift it past `bucket_elements`
// (DeepSpeed's rule: tested before adding), so a parameter is never split and a larger one has a bucket to
// itself. A bucket is padded to a multiple of the ranks that share a copy of the model (all of them, or with
// replicas a group's) and cut into that many equal shards, but in stage 0, which shards nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "ringside/planner/declaration.h"
#include "ringside/planner/distribution.h"

namespace ringside::inline planner {

struct BucketSlot {
  int parameter = 0;   // index into the shapes
  int64_t offset = 0;  // elements from the bucket's start
  int64_t numel = 0;
};

struct Bucket {
  std::vector<BucketSlot> slots;
  int64_t numel = 0;   // real elements
  int64_t padded = 0;  // numel rounded up to a multiple of the shards; in stage 0 numel itself
  int unit = -1;       // the unit it belongs to; -1 where it may span units
  bool trainable = true;
  bool tied = false;  // of one parameter that lies in other places too, where it has the same bucket
  int64_t padding() const { return padded - numel; }
};

// How a training lays its buckets, the engine's and the planner's: trainable ones in backward order, then the
// frozen ones (never reduced). Stage 3: a bucket never crosses a unit. Naive stage 0: every parameter has a
// bucket to itself.
std::vector<Bucket> make_buckets(const std::vector<ParameterShape>& shapes, const Distribution& distribution,
                                 int ranks);

}  // namespace ringside::inline planner
