// ZeRO-1 (P_os): each rank keeps the optimizer's state of one shard of every bucket,
// updates that shard, and collects the others' updated parameters.
// Rajbhandari et al. 2019, arXiv:1910.02054, section 5.1.
//
//   reduce-scatter(gradients)  ->  update own shard  ->  all-gather(parameters)
//
// Those two are the halves of an all-reduce: traffic stays 2 (N-1)/N a parameter.
// With reduce=all_reduce (DeepSpeed's default) the first half costs as much as both: 3 (N-1)/N.
#include "stages.h"

namespace ringside::inline zero {
namespace {

class ZeroStage1 final : public Strategy {
  using Strategy::Strategy;

  // Backward has added the gradient in its place in the bucket, to those of earlier micro-batches.
  void arrived(size_t parameter) override { buckets_.arrived(parameter); }

  void ready(BucketStorage& bucket) override {
    if (options_.predivide) bucket.gradients.div_(group_.size());
    const MutableView whole = view_of(bucket.gradients), own = view_of(bucket.owned(bucket.gradients));
    const Tag tag = bucket.gradients_tag();
    const bool all = options_.reduce == ReduceMode::kAllReduce;
    bucket.work = all ? shards_.all_reduce(whole, tag) : shards_.reduce_scatter(whole, own, tag);
    if (!options_.overlap) wait(bucket.work, "wait for gradients");
  }

  void backward_ended() override {
    if (options_.replicas > 1)
      for (BucketStorage& bucket : buckets_.trainable()) {
        wait(bucket.work, "wait for gradients");
        reduce_between(bucket);
      }
    wait_for_gradients();
  }

  void share() override {
    for (BucketStorage& bucket : buckets_.trainable()) {
      bucket.work = shards_.all_gather(view_of(bucket.owned_parameters()), view_of(bucket.parameters),
                                       {"parameters", bucket.name});
    }
    wait_for_buckets("wait for parameters");
  }
};

}  // namespace

std::unique_ptr<Strategy> make_stage1(const StrategySetup& setup) {
  return std::make_unique<ZeroStage1>(setup);
}

}  // namespace ringside::inline zero
