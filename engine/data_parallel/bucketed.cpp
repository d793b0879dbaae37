// Data parallelism: every rank keeps everything; gradients are all-reduced in
// buckets, each as soon as it is full, while backward goes on with the layers below.
// Li et al. 2020, "PyTorch Distributed", arXiv:2006.15704.
//
// Per rank and step: state 16 bytes a parameter, traffic 2 (N-1)/N elements a parameter.
//
// The naive version, to be compared with it: after backward, one all-reduce a parameter, each waited for.
// Same bytes, no overlap, and as many latencies as there are parameters. Its buckets hold one parameter each.
#include "ringside/base/check.h"
#include "ringside/data_parallel/strategy.h"

namespace ringside::inline data_parallel {
namespace {

class DataParallel final : public Strategy {
  using Strategy::Strategy;

  // Backward has added the gradient in its place in the bucket, to those of earlier micro-batches. The naive
  // version does not count them, so that no bucket is complete before backward has ended.
  void arrived(size_t parameter) override {
    if (!options_.naive) buckets_.arrived(parameter);
  }

  void ready(BucketStorage& bucket) override {
    if (options_.predivide) bucket.gradients.div_(group_.size());
    bucket.work = group_.all_reduce(view_of(bucket.gradients), bucket.gradients_tag());
    if (options_.naive || !options_.overlap) wait(bucket.work, "wait for gradients");
  }

  void backward_ended() override { wait_for_gradients(); }

  void share() override {}  // every rank has updated everything
};

}  // namespace

std::unique_ptr<Strategy> make_data_parallel(const StrategySetup& setup) {
  RINGSIDE_CHECK_EQ(setup.options.stage, 0);
  return std::make_unique<DataParallel>(setup);
}

}  // namespace ringside::inline data_parallel
