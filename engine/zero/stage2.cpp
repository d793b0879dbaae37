#include "ringside/zero/stage2.h"

#include <c10/core/GradMode.h>

#include "ringside/tensor/memory_hook.h"

namespace ringside {

void ZeroStage2::make_staging(BucketStorage& bucket) {
  if (bucket.staging.defined()) return;
  MemoryScope scope(Category::kGradients, "", bucket.name);
  bucket.staging = at::zeros({bucket.layout.padded}, bucket.gradients.options());
}

void ZeroStage2::gradient_arrived(size_t parameter) {
  at::NoGradGuard no_grad;
  const auto [bucket, offset] = place_of_[parameter];
  at::Tensor& gradient = parameters_.leaves[parameter].mutable_grad();
  book_as(gradient, Category::kGradients, "", parameters_.shapes[parameter].name);
  make_staging(*bucket);
  bucket->staging.narrow(0, offset, gradient.numel()).add_(gradient.reshape({-1}));
  gradient.reset();
}

void ZeroStage2::reduce(BucketStorage& bucket) {
  make_staging(bucket);  // none of its parameters may have had a gradient
  finish_reductions();
  bucket.work = reduce_in_place(bucket, bucket.staging);
  under_way_ = &bucket;
}

void ZeroStage2::finish_reductions() {
  if (under_way_ == nullptr) return;
  at::NoGradGuard no_grad;
  BucketStorage& bucket = *std::exchange(under_way_, nullptr);
  wait(bucket.work, "wait for gradients");
  bucket.gradients.add_(own_shard(bucket, bucket.staging));
  bucket.staging.reset();
}

}  // namespace ringside
