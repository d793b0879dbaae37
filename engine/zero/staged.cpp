#include "staged.h"

#include <c10/core/GradMode.h>

#include <utility>

#include "ringside/tensor/memory_hook.h"

namespace ringside::inline zero {

// A function of its own may return no gradient for a parameter. That counts as one of zeros.
void StagedStrategy::arrived(size_t parameter) {
  at::NoGradGuard no_grad;
  const auto [bucket, slot] = buckets_.slot_of(parameter);
  at::Tensor& gradient = parameters_.leaves[parameter].mutable_grad();
  if (gradient.defined()) {
    book_as(gradient, Category::kGradients, "", parameters_.shapes[parameter].name);
    make_staging(*bucket);
    bucket->staging.narrow(0, slot->offset, slot->numel).add_(gradient.reshape({-1}));
    gradient.reset();
  }
  buckets_.arrived(parameter);
}

void StagedStrategy::reduce(BucketStorage& bucket, ReduceMode mode) {
  make_staging(bucket);  // none of its parameters may have had a gradient
  if (options_.predivide) bucket.staging.div_(group_.size());
  take_sum();
  const MutableView whole = view_of(bucket.staging), own = view_of(bucket.owned(bucket.staging));
  const Tag tag = bucket.gradients_tag();
  const bool all = mode == ReduceMode::kAllReduce;
  bucket.work = all ? shards_.all_reduce(whole, tag) : shards_.reduce_scatter(whole, own, tag);
  under_way_ = &bucket;
  if (!options_.overlap) take_sum();
}

void StagedStrategy::take_sum() {
  if (under_way_ == nullptr) return;
  at::NoGradGuard no_grad;
  BucketStorage& bucket = *std::exchange(under_way_, nullptr);
  wait(bucket.work, "wait for gradients");
  bucket.gradients.add_(bucket.owned(bucket.staging));
  bucket.staging.reset();
  reduce_between(bucket);
}

void StagedStrategy::make_staging(BucketStorage& bucket) {
  if (bucket.staging.defined()) return;
  MemoryScope scope(Category::kGradients, "", bucket.name);
  bucket.staging = at::zeros({bucket.layout.padded}, bucket.gradients.options());
}

}  // namespace ringside::inline zero
