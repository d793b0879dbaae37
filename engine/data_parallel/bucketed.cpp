// Data parallelism: every rank keeps everything; gradients are all-reduced in
// buckets, each as soon as it is full, while backward goes on with the layers below.
// Li et al. 2020, "PyTorch Distributed", arXiv:2006.15704.
//
// Per rank and step: state 16 bytes a parameter, traffic 2 (N-1)/N elements a parameter.
#include "ringside/data_parallel/data_parallel.h"

namespace ringside {
namespace {

class BucketedDataParallel final : public Strategy {
  using Strategy::Strategy;

  // Backward has added the gradient in its place in the bucket, to those of earlier micro-batches.
  void arrived(size_t parameter) override { buckets_.arrived(parameter); }

  void ready(BucketStorage& bucket) override {
    if (options_.predivide) bucket.gradients.div_(group_.size());
    bucket.work = group_.all_reduce(view_of(bucket.gradients), {"gradients", bucket.name});
    if (!options_.overlap) wait(bucket.work, "wait for gradients");
  }

  void backward_ended() override { wait_for_buckets("wait for gradients"); }

  double update(const StepOptions& options) override { return update_owned(options, own_squares()); }

  void share() override {}  // every rank has updated everything
};

}  // namespace

std::unique_ptr<Strategy> make_bucketed(const StrategySetup& setup) {
  return std::make_unique<BucketedDataParallel>(setup);
}

}  // namespace ringside
