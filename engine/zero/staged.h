// Sharded gradients, as stages 2 and 3 have them. A bucket's gradients live in a staging buffer only from the
// first that arrives to the end of its reduction; what stays is this rank's shard of the sum.
//
//   arrived: staging += gradient   ->   reduce: reduce-scatter(staging)   ->   take_sum: shard += own chunk
//
// One bucket at most is under way: its sum is taken before the next one's, so that memory knows no timing.
#pragma once

#include "ringside/data_parallel/strategy.h"

namespace ringside::inline zero {

class StagedStrategy : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  // With no_sync earlier micro-batches are added up in the staging buffers, whole.
  bool reduces(bool last_of_step) const override { return last_of_step || !options_.no_sync; }
  void arrived(size_t parameter) override;

  void reduce(BucketStorage& bucket, ReduceMode mode);
  void take_sum();  // of the bucket that is under way, if there is one

 private:
  static void make_staging(BucketStorage& bucket);

  BucketStorage* under_way_ = nullptr;
};

}  // namespace ringside::inline zero
