#include "training.h"

#include <fmt/format.h>

#include "ringside/base/error.h"
#include "ringside/comm/process_group.h"

namespace ringside::nccl_lesson {
namespace {

// What ranks do between an evaluation and the next step.
class AfterEvaluation {
 public:
  AfterEvaluation(RankLoop& loop, int64_t step, const Training& training, FaultInjector& faults)
      : loop_(loop),
        step_(step),
        training_(training),
        faults_(faults),
        here_(loop.rank() == training.mistaken_rank) {}

  void run() {
    const bool calls = here_ || training_.mended;
    switch (training_.mistake) {
      case Mistake::kStuckLoader:
        stay("load batch");
        break;
      case Mistake::kWritesOut:
        if (training_.evaluation_gather == EvaluationGather::kOutputs && training_.returns_in_evaluation())
          stay("write hidden states");
        break;
      case Mistake::kSaves:
        stay("save checkpoint");
        break;
      case Mistake::kRankZeroReduces:
      case Mistake::kThenBarrier:
        if (calls) add_up("add up counts", {"evaluation", "counts"});
        if (training_.mistake == Mistake::kThenBarrier) add_up("save best model", {"barrier", "checkpoint"});
        break;
      case Mistake::kOwnBest:
        if (calls) add_up("save best model", {"barrier", "checkpoint"});
        break;
      case Mistake::kSwallows:  // within the evaluation
      case Mistake::kNone:
        break;
    }
    if (training_.barrier_ahead) add_up("barrier", {"barrier", "before the step"});
  }

 private:
  void stay(const char* doing) {
    if (!here_ || training_.mended) return;
    const SpanScope span(loop_.recorder(), doing, step_);
    faults_.sleep(training_.stays);
  }
  // One element: NCCL's barrier is an all-reduce as well.
  void add_up(const char* doing, const Tag& tag) {
    const SpanScope span(loop_.recorder(), doing, step_);
    float one = 1;
    loop_.common().all_reduce({&one, 1, Dtype::kFloat32}, tag)->wait();
  }

  RankLoop& loop_;
  const int64_t step_;
  const Training& training_;
  FaultInjector& faults_;
  const bool here_;
};

}  // namespace

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

std::function<void(RankLoop&, int64_t)> loop_with(FaultInjector& faults, const Training& training) {
  return [&faults, &training](RankLoop& loop, int64_t step) {
    const bool alone = faults.plans(FaultKind::kEvaluatesAlone, step);
    if (faults.plans(FaultKind::kOneBatchMore, step, loop.rank())) loop.train_step(step + 1);
    if (!loop.is_time_to_evaluate(step) && !alone) return;
    if (!alone || faults.plans(FaultKind::kEvaluatesAlone, step, loop.rank())) loop.evaluate(step);
    AfterEvaluation(loop, step, training, faults).run();
  };
}

}  // namespace ringside::nccl_lesson
