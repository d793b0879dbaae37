// ZB-H1 (Qi et al. 2023, arXiv:2401.10241, section 2.1): 1F1B whose backward is cut in two. The stage before
// waits for the gradient of the input alone (I); gradients of weights (W) fill the time in which a stage
// would wait. Stage r lets r of them wait, so that as many micro-batches live on it as on stage 0.
//
//   bubble   (p-1)(F + I - W) seconds for 1F1B's (p-1)(F + I + W): at equal costs a third
//   lives    min(m, p) on every stage, from F to W: as much as stage 0 of 1F1B
//   sends    as 1F1B
#include "builder.h"

namespace ringside::inline pipeline {

PipelineSchedule zero_bubble(int p, int64_t m, int v) {
  PipelineSchedule schedule = pipeline::empty_schedule("zb_h1", p, m, v);
  for (int r = 0; r < p; ++r) {
    pipeline::StageBuilder stage(schedule, schedule.of_stage[size_t(r)]);
    for (int ahead = 0; ahead < p - r - 1; ++ahead) stage.add(StepPass::kForward);
    while (stage.added(StepPass::kBackwardWeight) < m) {
      stage.add(StepPass::kForward);
      stage.add(StepPass::kBackwardInput);
      if (stage.added(StepPass::kBackwardInput) > r) stage.add(StepPass::kBackwardWeight);
    }
  }
  return schedule;
}

}  // namespace ringside::inline pipeline
