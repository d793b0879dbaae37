// What the ranks that share a copy of the model exchange in an update that is not elementwise:
//
//   sums of each rank's elements -> all-reduce of fp64 -> next sums, or the update
//   parts of a matrix -> its owner changes it whole -> parts -> the update
//
// Who owns which matrix follows from the shapes (planner/update_plan.h); each owner records its own in the trace.
#pragma once

#include "ringside/data_parallel/bucket_storage.h"
#include "ringside/planner/update_plan.h"

namespace ringside::inline data_parallel {

class RankExchange final : public UpdateExchange {
 public:
  RankExchange(const StrategySetup& setup, std::span<BucketStorage> trainable);

  void sum(std::span<double> values, const std::string& meaning) const override;
  void change(std::span<const WholePart> parts) const override;
  std::shared_ptr<float[]> room(int64_t count) const override;

 private:
  void check(std::span<const WholePart> parts) const;
  void for_each_message(const WholeParameter& one,
                        const std::function<void(int peer, const ShardPart&)>& body) const;
  void wait(const std::vector<WorkPtr>& works, const char* what) const;

  ProcessGroup& ranks_;
  Recorder* recorder_;
  std::vector<WholeParameter> whole_;
  std::vector<std::string> names_;  // of those
};

}  // namespace ringside::inline data_parallel
