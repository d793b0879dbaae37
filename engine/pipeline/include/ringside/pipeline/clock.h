// A schedule replayed on a virtual clock: what each pass and each message costs is given, when it happens
// follows. A stage begins a pass when it has done the one before and has what the pass needs. A message
// begins when
//
//   kWhenReceived   its sender has it and its receiver waits for it, as in run.h: each message is waited for
//   kWhenSent       its sender has it: receives are posted early, and its receiver's passes hide a message
//
// and the one before it in its lane (from one stage to another) has arrived. Sends do not block.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ringside/comm/link_model.h"
#include "ringside/pipeline/messages.h"
#include "ringside/pipeline/schedule.h"

namespace ringside::inline pipeline {

enum class MessageStart : uint8_t { kWhenReceived, kWhenSent };

struct PipelineCosts {
  std::function<double(int stage, const StepPass& pass)> pass;      // s
  std::function<double(const PipelineMessage& message)> message{};  // s; null: 0
  MessageStart start = MessageStart::kWhenReceived;
};
// F `forward` seconds, I and W as many, B twice; each by v, for a chunk is 1/v of a stage. No links.
PipelineCosts equal_costs(int v, double forward = 1);
// bytes(message) over the link.
std::function<double(const PipelineMessage&)> over_link(const LinkModel& link,
                                                        std::function<int64_t(const PipelineMessage&)> bytes);

struct PipelineSpan {
  int stage = 0;
  StepPass pass{};
  double start = 0, end = 0;  // s
};
// One piece of the critical path: a pass, or a message.
struct PathPiece {
  bool is_message = false;
  PipelineSpan span{};        // of a message: start and end alone
  PipelineMessage message{};  // of a message
};

struct PipelineTime {
  double total = 0;                // s, from the first start to the last end
  double ideal = 0;                // the busiest stage's work
  std::vector<double> busy, idle;  // (p), idle = total - busy
  double bubble_of_ideal() const { return ideal > 0 ? (total - ideal) / ideal : 0; }  // 1F1B: (p-1)/m
  double bubble_of_whole() const { return total > 0 ? (total - ideal) / total : 0; }  // 1F1B: (p-1)/(m+p-1)
};
struct PipelineReplay {
  PipelineTime time{};
  std::vector<std::vector<PipelineSpan>> spans{};  // (p) in the order of the stage's list
  // Pieces without a gap from 0 to the total: each begins when the one before it ends.
  std::vector<PathPiece> critical_path{};
};

// Both throw UsageError with the hang's sentence where the schedule hangs. time_of() keeps no spans: for a
// planner, which asks often.
PipelineTime time_of(const PipelineSchedule& schedule, const PipelineCosts& costs);
PipelineReplay replay(const PipelineSchedule& schedule, const PipelineCosts& costs);

}  // namespace ringside::inline pipeline
