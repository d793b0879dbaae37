#include "ringside/train/mistakes.h"

#include "ringside/comm/process_group.h"

namespace ringside::inline training {
namespace {

// One element, in the group of evaluations.
void add_up(RankLoop& loop, int64_t step, const char* doing, const Tag& tag) {
  const SpanScope span(loop.recorder(), doing, step);
  float one = 1;
  loop.common().all_reduce({&one, 1, Dtype::kFloat32}, tag)->wait();
}

void after_evaluation(RankLoop& loop, int64_t step, const LoopMistake& mistake, FaultInjector& faults) {
  using Kind = LoopMistake::Kind;
  const bool here = loop.rank() == mistake.rank, calls = here || mistake.mended;
  const bool reduces = mistake.kind == Kind::kReducesAlone || mistake.kind == Kind::kReducesAloneThenBarrier;
  if (mistake.kind == Kind::kStays && here && !mistake.mended) {
    const SpanScope span(loop.recorder(), mistake.doing, step);
    faults.sleep(mistake.stays);
  }
  if (reduces && calls) add_up(loop, step, "add up counts", {"evaluation", "counts"});
  if (mistake.kind == Kind::kReducesAloneThenBarrier || (mistake.kind == Kind::kBarrierAlone && calls))
    add_up(loop, step, "save best model", {"barrier", "checkpoint"});
  if (mistake.barrier_ahead) add_up(loop, step, "barrier", {"barrier", "before the step"});
}

}  // namespace

std::function<void(RankLoop&, int64_t)> loop_with(FaultInjector& faults, const LoopMistake& mistake) {
  return [&faults, &mistake](RankLoop& loop, int64_t step) {
    const bool alone = faults.plans(FaultKind::kEvaluatesAlone, step);
    if (faults.plans(FaultKind::kOneBatchMore, step, loop.rank())) loop.train_step(step + 1);
    if (!loop.is_time_to_evaluate(step) && !alone) return;
    if (!alone || faults.plans(FaultKind::kEvaluatesAlone, step, loop.rank())) loop.evaluate(step);
    after_evaluation(loop, step, mistake, faults);
  };
}

}  // namespace ringside::inline training
