// ZeRO-2 (P_os+g): gradients are sharded too (staged.h). arXiv:1910.02054, section 5.2.
//
//   reduce-scatter(gradients), each micro-batch  ->  update own shard  ->  all-gather(parameters)
//
// What was dropped cannot be added to later, so with g micro-batches a step every
// one of them is reduced: (g + 1)(N-1)/N a parameter, where stage 1 waits and pays 2. With no_sync (FSDP's
// context of that name) nothing is dropped before the last one: stage 1's traffic and order of sums, for
// whole gradients between micro-batches.
#include "staged.h"
#include "stages.h"

namespace ringside::inline zero {
namespace {

class ZeroStage2 final : public StagedStrategy {
  using StagedStrategy::StagedStrategy;

  void ready(BucketStorage& bucket) override { reduce(bucket, options_.reduce); }

  void backward_ended() override {
    take_sum();
    wait_for_gradients();  // between groups
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

std::unique_ptr<Strategy> make_stage2(const StrategySetup& setup) {
  return std::make_unique<ZeroStage2>(setup);
}

}  // namespace ringside::inline zero
