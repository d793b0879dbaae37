#include "training.h"

#include <fmt/format.h>

#include "ringside/base/error.h"

namespace ringside::nccl_lesson {

TrainerConfig assembled(const Training& training) {
  if (training.gather_chunk < 1) throw UsageError("gather_chunk must be at least 1 element");
  if (training.mismatch_rank < -1 || training.mismatch_rank >= training.ranks)
    throw UsageError(fmt::format("mismatch_rank={}: allowed are -1 (all) to {}", training.mismatch_rank,
                                 training.ranks - 1));
  TrainerConfig config = training;
  config.make_model = maker_of_model(training);
  if (training.evaluation_gather != EvaluationGather::kCounts)
    config.evaluation = gathering_evaluation(training);
  return config;
}

std::function<void(RankLoop&, int64_t)> loop_with(const FaultInjector& faults) {
  return [&faults](RankLoop& loop, int64_t step) {
    if (faults.plans(FaultKind::kOneBatchMore, step, loop.rank())) loop.train_step(step + 1);
    if (loop.is_time_to_evaluate(step) && !faults.plans(FaultKind::kEvaluatesAlone, step))
      loop.evaluate(step);
    if (faults.plans(FaultKind::kEvaluatesAlone, step, loop.rank())) loop.evaluate(step);
  };
}

}  // namespace ringside::nccl_lesson
