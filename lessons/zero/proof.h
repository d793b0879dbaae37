// The bit-identity matrix: every way of distributing one small fp32 training, against
// one process that emulates the same split. Runs beside the lesson's own model, since
// bits can be compared only where every step of every run is kept.
#pragma once

#include <functional>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/train/trainer.h"

namespace ringside::zero_lesson {

struct ProofPlan {
  std::vector<int> worlds;
  int64_t steps = 10;      // of each training; bits are compared after each
  int64_t accumulate = 2;  // of the second part, in which the order of sums matters
  bool reshard = true;     // of stage 3, as the scenario has it
  int ranks = 1;           // of the scenario, whose mesh it is
  std::string mesh{};      // "": data parallel
  bool sequence = false;
  uint64_t seed = 0;
  Device device = Device::kCpu;
  OptimizerConfig optimizer{};  // in a mesh AdamW, whose steps have a known bound
};
int64_t proof_runs(const ProofPlan& plan);  // how many trainings that is

// Records two sections, kProofSection and kOrderSection: a row of ProofCase a run (attributes.h), and a
// scalar with its label, the step of the first difference, 0 for none. `done` is called after each run.
// CancelledError where its control says so.
void prove(const ProofPlan& plan, const RunContext& context, const std::function<void()>& done);

}  // namespace ringside::zero_lesson
