// ZeRO-1 (P_os): each rank keeps the optimizer's state of one shard of every bucket,
// updates that shard, and collects the others' updated parameters.
// Rajbhandari et al. 2019, arXiv:1910.02054, section 5.1.
//
//   reduce-scatter(gradients)  ->  update own shard  ->  all-gather(parameters)
//
// Those two are the halves of an all-reduce: traffic stays 2 (N-1)/N a parameter.
// With reduce=all_reduce (DeepSpeed's default) the first half costs as much as both: 3 (N-1)/N.
#pragma once

#include "ringside/data_parallel/strategy.h"

namespace ringside {

class ZeroStage1 : public Strategy {
 public:
  ZeroStage1(ParameterSet& parameters, ProcessGroup& group, const Optimizer& optimizer,
             const Distribution& options, Recorder* recorder, Sharding sharding = {.optimizer = true})
      : Strategy(parameters, group, optimizer, options, sharding, recorder) {}

 protected:
  void reduce(BucketStorage& bucket) override;
  void agree_on_norm(ExactSquareSum& sum) override;
  void share_parameters() override;

  // Sums `whole` (padded) over the ranks, so that at least this rank's shard of it is complete.
  WorkPtr reduce_in_place(const BucketStorage& bucket, const at::Tensor& whole);
  at::Tensor own_shard(const BucketStorage& bucket, const at::Tensor& whole) const;  // (padded / N)
};

}  // namespace ringside
