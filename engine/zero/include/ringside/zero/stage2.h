// ZeRO-2 (P_os+g): gradients are sharded too. A bucket's gradients live in a
// staging buffer only from the first that arrives to the end of its reduction;
// what stays is this rank's shard of the sum. arXiv:1910.02054, section 5.2.
//
// What was dropped cannot be added to later, so with g micro-batches a step every
// one of them is reduced: (g + 1)(N-1)/N a parameter, where stage 1 waits and pays 2.
#pragma once

#include "ringside/zero/stage1.h"

namespace ringside {

class ZeroStage2 : public ZeroStage1 {
 public:
  ZeroStage2(ParameterSet& parameters, ProcessGroup& group, const Optimizer& optimizer,
             const Distribution& options, Recorder* recorder,
             Sharding sharding = {.optimizer = true, .gradients = true})
      : ZeroStage1(parameters, group, optimizer, options, recorder, sharding) {
    for (BucketStorage& bucket : buckets_) {
      for (const BucketSlot& slot : bucket.layout.slots) {
        place_of_.resize(std::max(place_of_.size(), static_cast<size_t>(slot.parameter) + 1));
        place_of_[static_cast<size_t>(slot.parameter)] = {&bucket, slot.offset};
      }
    }
  }

 protected:
  bool reduces_every_micro_batch() const override { return true; }
  void gradient_arrived(size_t parameter) override;
  void reduce(BucketStorage& bucket) override;
  void finish_reductions() override;

 private:
  struct Place {
    BucketStorage* bucket = nullptr;
    int64_t offset = 0;
  };
  void make_staging(BucketStorage& bucket);
  std::vector<Place> place_of_;         // parameter -> where its gradient goes
  BucketStorage* under_way_ = nullptr;  // at most one: memory then does not depend on timing
};

}  // namespace ringside
