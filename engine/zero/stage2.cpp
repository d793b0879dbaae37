// ZeRO-2 (P_os+g): gradients are sharded too. A bucket's gradients live in a
// staging buffer only from the first that arrives to the end of its reduction;
// what stays is this rank's shard of the sum. arXiv:1910.02054, section 5.2.
//
// What was dropped cannot be added to later, so with g micro-batches a step every
// one of them is reduced: (g + 1)(N-1)/N a parameter, where stage 1 waits and pays 2. With no_sync (FSDP's
// context of that name) nothing is dropped before the last one: stage 1's traffic and order of sums, for
// whole gradients between micro-batches.
//
// One bucket at most is under way: its sum is taken before the next one's, so that memory knows no timing.
#include <c10/core/GradMode.h>

#include <utility>

#include "ringside/tensor/memory_hook.h"
#include "stages.h"

namespace ringside::inline zero {
namespace {

class ZeroStage2 final : public Strategy {
  using Strategy::Strategy;

  // With no_sync earlier micro-batches are added up in the staging buffers, whole.
  bool reduces(bool last_of_step) const override { return last_of_step || !options_.no_sync; }

  void arrived(size_t parameter) override {
    at::NoGradGuard no_grad;
    const auto [bucket, slot] = buckets_.slot_of(parameter);
    at::Tensor& gradient = parameters_.leaves[parameter].mutable_grad();
    book_as(gradient, Category::kGradients, "", parameters_.shapes[parameter].name);
    make_staging(*bucket);
    bucket->staging.narrow(0, slot->offset, slot->numel).add_(gradient.reshape({-1}));
    gradient.reset();
    buckets_.arrived(parameter);
  }

  void ready(BucketStorage& bucket) override {
    make_staging(bucket);  // none of its parameters may have had a gradient
    if (options_.predivide) bucket.staging.div_(group_.size());
    take_sum();
    const MutableView whole = view_of(bucket.staging), own = view_of(bucket.owned(bucket.staging));
    const Tag tag = bucket.gradients_tag();
    const bool all = options_.reduce == ReduceMode::kAllReduce;
    bucket.work = all ? shards_.all_reduce(whole, tag) : shards_.reduce_scatter(whole, own, tag);
    under_way_ = &bucket;
    if (!options_.overlap) take_sum();
  }

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

 private:
  void make_staging(BucketStorage& bucket) {
    if (bucket.staging.defined()) return;
    MemoryScope scope(Category::kGradients, "", bucket.name);
    bucket.staging = at::zeros({bucket.layout.padded}, bucket.gradients.options());
  }

  void take_sum() {
    if (under_way_ == nullptr) return;
    at::NoGradGuard no_grad;
    BucketStorage& bucket = *std::exchange(under_way_, nullptr);
    wait(bucket.work, "wait for gradients");
    bucket.gradients.add_(bucket.owned(bucket.staging));
    bucket.staging.reset();
    reduce_between(bucket);
  }

  BucketStorage* under_way_ = nullptr;
};

}  // namespace

std::unique_ptr<Strategy> make_stage2(const StrategySetup& setup) {
  return std::make_unique<ZeroStage2>(setup);
}

}  // namespace ringside::inline zero
