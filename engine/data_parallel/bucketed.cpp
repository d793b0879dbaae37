#include "ringside/data_parallel/bucketed.h"

namespace ringside {

void BucketedDataParallel::reduce(BucketStorage& bucket) {
  bucket.work = group_.all_reduce(view_of(bucket.gradients), {"gradients", bucket.name});
}

}  // namespace ringside
