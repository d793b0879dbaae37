// GPipe (Huang et al. 2018, arXiv:1811.06965, section 2.3): all forwards, then all backwards.
//
//   bubble   (p-1)/m of the ideal time, of v chunks the same: a chunk waits for the whole chunk before
//   lives    all m v on every stage
//   sends    of each of the p v - 1 boundaries m activations, m gradients
//
// The paper goes backward from the last micro-batch to the first; here the first is first, as everywhere.
#include "builder.h"

namespace ringside::inline pipeline {

PipelineSchedule gpipe(int p, int64_t m, int v) {
  PipelineSchedule schedule = pipeline::empty_schedule("gpipe", p, m, v);
  for (StepSchedule& passes : schedule.of_stage) {
    pipeline::StageBuilder stage(schedule, passes);
    for (int chunk = 0; chunk < v; ++chunk)
      for (int64_t micro = 0; micro < m; ++micro) stage.add(StepPass::kForward, chunk);
    for (int chunk = v - 1; chunk >= 0; --chunk)
      for (int64_t micro = 0; micro < m; ++micro) stage.add(StepPass::kBackward, chunk);
  }
  return schedule;
}

}  // namespace ringside::inline pipeline
