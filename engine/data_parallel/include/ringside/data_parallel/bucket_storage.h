// The bytes behind a bucket on one rank. Which fields are whole and which are
// this rank's shard is all that ZeRO's stages differ in, as far as memory goes.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/optim/optimizer.h"
#include "ringside/planner/buckets.h"
#include "ringside/planner/distribution.h"

namespace ringside {

// What is cut into N shards: nothing (data parallel), the optimizer's state
// (ZeRO-1), also the gradients (ZeRO-2), also the parameters (ZeRO-3).
struct Sharding {
  bool optimizer = false, gradients = false, parameters = false;
};

struct BucketStorage {
  Bucket layout;
  std::string name;            // "bucket 3"
  at::Tensor parameters;       // (padded); under ZeRO-3 it has bytes only while gathered
  at::Tensor parameter_shard;  // ZeRO-3: (padded / N)
  at::Tensor gradients;        // (padded), or (padded / N) where gradients are sharded
  at::Tensor staging;          // sharded gradients: (padded), only from the first gradient to the reduction
  at::Tensor master;           // bf16: (owned) fp32
  std::vector<at::Tensor> state;             // (owned) fp32 each: what the optimizer declares
  int64_t owned_begin = 0, owned_count = 0;  // the elements this rank updates
  int waiting = 0;                           // gradients of this micro-batch that have not arrived
  WorkPtr work;                              // its reduction, or after the update its gather, under way
  WorkPtr gather_work;                       // ZeRO-3: its gather under way

  at::Tensor owned_parameters() const;  // (owned)
  at::Tensor owned_gradients() const;   // (owned)
  // What has bytes now, of one kind of state: under ZeRO a shard, or the whole, or both while gathered.
  std::vector<at::Tensor> live(Category category) const;
};

// Allocates every bucket, zeroed, and puts the leaves of `parameters` into them.
std::vector<BucketStorage> allocate_buckets(ParameterSet& parameters, const Distribution& options,
                                            Sharding sharding, const Optimizer& optimizer, int rank,
                                            int ranks);

}  // namespace ringside
