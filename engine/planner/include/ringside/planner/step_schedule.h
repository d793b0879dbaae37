// What a rank does in a step before its update, as a value: passes over micro-batches, in order. A schedule
// of pipeline stages is one of the same kind.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside {

struct StepPass {
  enum Kind : uint8_t { kForward, kBackward } kind = kForward;
  int64_t micro = 0;
};
using StepSchedule = std::vector<StepPass>;

// F0 B0 F1 B1 ...: the activations of one micro-batch live at a time.
inline StepSchedule one_after_another(int64_t micro_batches) {
  StepSchedule schedule;
  for (int64_t micro = 0; micro < micro_batches; ++micro)
    schedule.insert(schedule.end(), {{StepPass::kForward, micro}, {StepPass::kBackward, micro}});
  return schedule;
}

}  // namespace ringside
