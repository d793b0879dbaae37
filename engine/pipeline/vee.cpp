// ZB-V (Qi et al. 2023, arXiv:2401.10241, section 6): two chunks a stage that lie as a V, part r and part
// 2p-1-r of the model. The loss is on stage 0, beside the input, so that a backward begins where its forward
// began; backwards are cut in two as in ZB-H1.
//
//   bubble   at equal costs of F, I and W, and m of 2p-1 and more: stage r begins r F late, ends up to p-1 F
//            early and never waits between: from the first start to the last end (p-1)/2 F of a whole stage
//            (a chunk is half of one); 1F1B waits 3 (p-1) F.
//   lives    min(2m, 2p) chunks on every stage, each half of a stage: as much as stage 0 of 1F1B
//   sends    2 (p-1) boundaries: twice 1F1B's bytes; at the V's turn none
//
// A stage's list for m of 2p-1 and more; with fewer, those that are too many are left out.
#include <algorithm>

#include "builder.h"

namespace ringside::inline pipeline {
namespace {

using Builder = pipeline::StageBuilder;

void whole_backward(Builder& stage, int chunk) {
  stage.add(StepPass::kBackwardInput, chunk);
  stage.add(StepPass::kBackwardWeight, chunk);
}

// Until each micro-batch that has gone down the V comes up as fast as the next goes down.
void fill(Builder& stage, int p, int r) {
  for (int i = 0; i < 2 * (p - r) - 1; ++i) stage.add(StepPass::kForward, 0);
  for (int i = 0; i < r; ++i) {
    stage.add(StepPass::kForward, 1);
    stage.add(StepPass::kForward, 0);
  }
  for (int i = 0; i < p - r; ++i) {
    stage.add(StepPass::kForward, 1);
    whole_backward(stage, 1);
  }
}

// Weights wait: r of each chunk, whose time is the bubble's.
void drain(Builder& stage, int p, int r) {
  for (int i = 0; i < r; ++i) {
    stage.add(StepPass::kBackwardInput, 0);
    stage.add(StepPass::kBackwardInput, 1);
  }
  for (int i = 0; i < p - r; ++i) whole_backward(stage, 0);
  for (int i = 0; i < r; ++i) stage.add(StepPass::kBackwardWeight, 1);
  for (int i = 0; i < r; ++i) stage.add(StepPass::kBackwardWeight, 0);
}

}  // namespace

PipelineSchedule vee(int p, int64_t m, int v) {
  PipelineSchedule schedule = pipeline::empty_schedule("zb_v", p, m, v);
  schedule.order = ChunkOrder::kVee;
  const int64_t rounds = std::max<int64_t>(m, 2 * p - 1);
  for (int r = 0; r < p; ++r) {
    Builder stage(schedule, schedule.of_stage[size_t(r)]);
    fill(stage, p, r);
    while (stage.added(StepPass::kForward, 1) < rounds) {
      stage.add(StepPass::kForward, 0);
      whole_backward(stage, 0);
      stage.add(StepPass::kForward, 1);
      whole_backward(stage, 1);
    }
    drain(stage, p, r);
  }
  return schedule;
}

}  // namespace ringside::inline pipeline
