#include "ringside/zero/stage1.h"

namespace ringside {

at::Tensor ZeroStage1::own_shard(const BucketStorage& bucket, const at::Tensor& whole) const {
  return whole.narrow(0, bucket.owned_begin, bucket.owned_count);
}

WorkPtr ZeroStage1::reduce_in_place(const BucketStorage& bucket, const at::Tensor& whole) {
  const Tag tag{"gradients", bucket.name};
  if (options_.reduce == ReduceMode::kAllReduce && !sharding_.parameters) {
    return group_.all_reduce(view_of(whole), tag);
  }
  return group_.reduce_scatter(view_of(whole), view_of(own_shard(bucket, whole)), tag);
}

void ZeroStage1::reduce(BucketStorage& bucket) { bucket.work = reduce_in_place(bucket, bucket.gradients); }

void ZeroStage1::agree_on_norm(ExactSquareSum& sum) {
  const View limbs{sum.limbs(), ExactSquareSum::kCount, Dtype::kInt64};
  WorkPtr work = group_.all_reduce(limbs, {"norm", ""});
  wait(work, "wait for the norm");
}

void ZeroStage1::share_parameters() {
  for (BucketStorage& bucket : buckets_) {
    if (!bucket.layout.trainable) continue;
    bucket.work = group_.all_gather(view_of(own_shard(bucket, bucket.parameters)), view_of(bucket.parameters),
                                    {"parameters", bucket.name});
  }
  for (BucketStorage& bucket : buckets_) wait(bucket.work, "wait for parameters");
}

}  // namespace ringside
