// The bytes behind a bucket on one rank. Which of them are whole and which are this rank's shard, one of N
// equal parts of the padded bucket, is all that ZeRO's stages differ in, as far as memory goes. Cut into
// shards are: nothing (stage 0), the optimizer's state (1), also the gradients (2), also the parameters (3).
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/data_parallel/named_state.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/optim/optimizer.h"
#include "ringside/planner/buckets.h"

namespace ringside {

struct BucketStorage {
  struct OptimizerState {
    std::string name;   // as the optimizer declares it
    at::Tensor values;  // (owned) fp32
  };
  // Of a parameter: all that this rank keeps, or what it alone updates (under stage 0, every rank).
  enum class Extent : uint8_t { kHeld, kOwned };

  Bucket layout;
  std::string name;            // "bucket 3"
  at::Tensor parameters;       // (padded); under ZeRO-3 it has bytes only while gathered
  at::Tensor parameter_shard;  // ZeRO-3: (padded / N)
  at::Tensor gradients;        // (padded), or (padded / N) where gradients are sharded
  at::Tensor staging;          // sharded gradients: (padded), only from the first gradient to the reduction
  at::Tensor master;           // bf16: (owned) fp32
  std::vector<OptimizerState> state;
  int64_t owned_begin = 0, owned_count = 0;  // the elements this rank updates
  int waiting = 0;                           // gradients of this micro-batch that have not arrived
  WorkPtr work;                              // its reduction, or after the update its gather, under way
  WorkPtr gather_work;                       // ZeRO-3: its gather under way

  at::Tensor owned(const at::Tensor& tensor) const;  // (padded) or (owned) -> (owned)
  at::Tensor owned_parameters() const;               // (owned)
  // The windows of a parameter's state. None is gathered for it.
  std::vector<StatePiece> pieces(const BucketSlot& slot, const ParameterShape& shape, Extent extent) const;
  // What has bytes now, of one kind of state: under ZeRO a shard, or the whole, or both while gathered.
  std::vector<at::Tensor> live(Category category) const;
};

// Allocates every bucket, zeroed, and puts the leaves of `parameters` into them; where gradients are whole,
// the leaves' gradients too, so that backward adds into the bucket in place.
std::vector<BucketStorage> allocate_buckets(ParameterSet& parameters, const Distribution& options,
                                            const Optimizer& optimizer, int rank, int ranks);

}  // namespace ringside
