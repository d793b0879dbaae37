#include "ringside/data_parallel/gradient_buckets.h"

#include <exception>

namespace ringside {

GradientBuckets::GradientBuckets(ParameterSet& parameters, const Distribution& options,
                                 const Optimizer& optimizer, int rank, int ranks, Ready ready)
    : buckets_(allocate_buckets(parameters, options, optimizer, rank, ranks)),
      places_(parameters.shapes.size()),
      ready_(std::move(ready)) {
  for (BucketStorage& bucket : buckets_) {
    if (bucket.layout.trainable) ++trainable_;
    for (const BucketSlot& slot : bucket.layout.slots)
      places_[static_cast<size_t>(slot.parameter)] = {&bucket, &slot};
  }
}

GradientBuckets::~GradientBuckets() {
  for (BucketStorage& bucket : buckets_) {
    for (const WorkPtr& work : {bucket.work, bucket.gather_work}) {
      try {
        if (work) work->wait();
      } catch (const std::exception&) {
        // The rank that caused it has reported it; here only the end of all reads matters.
      }
    }
  }
}

void GradientBuckets::begin_micro_batch(bool reduces) {
  next_ = 0;
  last_ = reduces ? trainable_ : 0;
  for (BucketStorage& bucket : buckets_) bucket.waiting = static_cast<int>(bucket.layout.slots.size());
}

void GradientBuckets::arrived(size_t parameter) {
  --places_[parameter].bucket->waiting;
  reduce_complete_buckets();
}

void GradientBuckets::reduce_complete_buckets() {
  while (next_ < last_ && buckets_[next_].waiting == 0) hand_over_next();
}

void GradientBuckets::reduce_rest_of(int unit) {
  while (next_ < last_ && buckets_[next_].layout.unit >= unit) hand_over_next();
  reduce_complete_buckets();
}

void GradientBuckets::reduce_rest() {
  while (next_ < last_) hand_over_next();
}

}  // namespace ringside
