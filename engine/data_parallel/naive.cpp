// The naive version, kept beside the bucketed one to be compared with it: after
// backward, one all-reduce a parameter, each waited for. Same bytes, no overlap,
// and as many latencies as there are parameters.
#include "ringside/base/check.h"
#include "ringside/data_parallel/data_parallel.h"

namespace ringside {
namespace {

class NaiveDataParallel final : public Strategy {
  using Strategy::Strategy;

  void arrived(size_t) override {}  // not counted, so that no bucket is complete before backward ends

  void ready(BucketStorage& bucket) override {  // one parameter's
    if (options_.predivide) bucket.gradients.div_(group_.size());
    bucket.work = group_.all_reduce(view_of(bucket.gradients), {"gradients", bucket.name});
    wait(bucket.work, "wait for gradients");
  }

  void backward_ended() override {}

  double update(const StepOptions& options) override { return update_owned(options, own_squares()); }

  void share() override {}
};

}  // namespace

std::unique_ptr<Strategy> make_naive(const StrategySetup& setup) {
  RINGSIDE_CHECK(setup.options.naive && setup.options.stage == 0, "the layout of buckets is another");
  return std::make_unique<NaiveDataParallel>(setup);
}

}  // namespace ringside
