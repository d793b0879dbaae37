#include "ringside/data_parallel/naive.h"

namespace ringside {

void NaiveDataParallel::finish_reductions() {
  for (BucketStorage& bucket : buckets_) {
    if (!bucket.layout.trainable) continue;
    bucket.work = group_.all_reduce(view_of(bucket.gradients), {"gradients", bucket.name});
    wait(bucket.work, "wait for gradients");
  }
}

}  // namespace ringside
