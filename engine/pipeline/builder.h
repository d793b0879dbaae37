// What the schedules are written with.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ringside/pipeline/schedule.h"

namespace ringside::inline pipeline {

// UsageError where p, m or v is out of range; says which v the schedule takes.
PipelineSchedule empty_schedule(const std::string& name, int p, int64_t m, int v);

// Of typed passes. UsageError as schedule_of() has them.
PipelineSchedule typed_schedule(const std::string& text, int p, int64_t m, int v, ChunkOrder order);

// Appends a stage's passes: of each kind and chunk the next micro-batch, if there is one.
class StageBuilder {
 public:
  StageBuilder(const PipelineSchedule& schedule, StepSchedule& passes)
      : micro_batches_(schedule.micro_batches), next_(size_t(schedule.chunks)), passes_(passes) {
    passes_.reserve(size_t(3 * schedule.micro_batches * schedule.chunks));
  }
  void add(StepPass::Kind kind, int chunk = 0) {
    const int64_t micro = next_[size_t(chunk)][kind]++;
    if (micro < micro_batches_) passes_.push_back({kind, micro, chunk});
  }
  // How many were asked for, also past the last.
  int64_t added(StepPass::Kind kind, int chunk = 0) const { return next_[size_t(chunk)][kind]; }

 private:
  const int64_t micro_batches_;
  std::vector<std::array<int64_t, 4>> next_;  // (chunk) (kind)
  StepSchedule& passes_;
};

}  // namespace ringside::inline pipeline
