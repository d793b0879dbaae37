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
#include "ringside/planner/run_rows.h"

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

// What an optimizer that is not elementwise adds to a run: sums and whole parameters that its ranks exchange,
// and state that is not one value an element. From the configuration and the shapes alone.
class UpdatePlan {
 public:
  UpdatePlan(const Distribution& distribution, int ranks, const OptimizerConfig& optimizer,
             const std::vector<ParameterShape>& shapes);

  // What is sent in these steps, where parameters are cut:
  //   sums: for each declared round an all-reduce of fp64
  //   matrices: parts to the owners and back, in fp32, of each element 2 (n-1)/n on average over owners
  void add_rows(RankRows& rows, int64_t steps) const;
  const std::vector<int64_t>& sums() const { return sums_; }  // fp64 values, of each round
  int64_t sum_bytes_sent(int rank) const;                     // in a step
  int64_t matrix_elements_sent(int rank) const;               // in a step
  const std::vector<WholeParameter>& whole() const { return whole_; }

  // Bytes of state by rows, columns and vectors: of every parameter once, or what a rank keeps, which has a
  // matrix' rows and columns for any part of it; and of all ranks of a copy together.
  int64_t state_bytes(std::optional<int> rank = {}) const;
  int64_t state_bytes_of_copy() const;

 private:
  int64_t bytes_of(const BucketSlot& slot, int64_t elements) const;

  const std::vector<ParameterShape> shapes_;
  const std::vector<Bucket> buckets_;
  const Optimizer optimizer_;
  const bool is_cut_;
  const int n_;  // shards of a copy
  std::vector<int64_t> sums_;
  std::vector<WholeParameter> whole_;
};

}  // namespace ringside::inline planner
