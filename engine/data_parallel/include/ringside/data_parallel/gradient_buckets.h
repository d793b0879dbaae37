// The buckets of one rank, and when each of them is handed over to be reduced.
//
// Backward reports each gradient by arrived(). A bucket is complete when the last of its gradients has
// arrived, but it is handed to ready() only after every bucket before it: ranks must issue the same
// collectives in the same order, and which bucket is complete first differs between ranks where parameters go
// unused. A parameter without a gradient therefore delays what comes after it, until its unit's backward is
// over (reduce_rest_of) or all of backward is (reduce_rest). In a micro-batch that is not reduced, nothing is
// handed over.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ringside/data_parallel/bucket_storage.h"

namespace ringside {

class GradientBuckets {
 public:
  using Ready = std::function<void(BucketStorage&)>;
  struct Place {
    BucketStorage* bucket;
    const BucketSlot* slot;
  };

  GradientBuckets(ParameterSet& parameters, const Distribution& options, const Optimizer& optimizer, int rank,
                  int ranks, Ready ready);
  ~GradientBuckets();  // waits for what is under way: peers read these buffers
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  std::span<BucketStorage> all() {
    return buckets_;
  }  // the trainable ones, in backward order, then the frozen
  std::span<BucketStorage> trainable() { return all().first(trainable_); }
  Place slot_of(size_t parameter) const { return places_[parameter]; }

  void begin_micro_batch(bool reduces);
  void arrived(size_t parameter);
  void reduce_complete_buckets();
  void reduce_rest_of(int unit);  // and of the units above it, whose backward was before
  void reduce_rest();

 private:
  void hand_over_next() { ready_(buckets_[next_++]); }

  std::vector<BucketStorage> buckets_;
  std::vector<Place> places_;  // by parameter
  Ready ready_;
  size_t trainable_ = 0;
  size_t next_ = 0;  // the first that was not handed over in this micro-batch
  size_t last_ = 0;  // where handing over ends: trainable_, or 0 in a micro-batch that is not reduced
};

}  // namespace ringside
