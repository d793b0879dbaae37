// 1F1B, the schedule of PipeDream-Flush (Narayanan et al. 2020, arXiv:2006.09503, section 3.2; as Megatron-LM
// has it: arXiv:2104.04473, section 2.2.1): stage r does p-r-1 forwards, then a forward and a backward in
// turns, then the backwards that are left.
//
//   bubble   (p-1)/m of the ideal time, as GPipe's
//   lives    min(m, p-r) on stage r: m no longer matters
//   sends    as GPipe
//
// With sends that block until they are received it hangs, from two stages and micro-batches on: stage r sends
// activations while stage r+1 sends gradients, each to the other.
#include "builder.h"

namespace ringside::inline pipeline {

PipelineSchedule one_f_one_b(int p, int64_t m, int v) {
  PipelineSchedule schedule = pipeline::empty_schedule("1f1b", p, m, v);
  for (int r = 0; r < p; ++r) {
    pipeline::StageBuilder stage(schedule, schedule.of_stage[size_t(r)]);
    for (int ahead = 0; ahead < p - r - 1; ++ahead) stage.add(StepPass::kForward);
    while (stage.added(StepPass::kBackward) < m) {
      stage.add(StepPass::kForward);
      stage.add(StepPass::kBackward);
    }
  }
  return schedule;
}

}  // namespace ringside::inline pipeline
