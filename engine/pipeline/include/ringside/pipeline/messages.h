// Which passes of a schedule wait for which, and what goes from stage to stage.
//
//   a forward of part k needs the forward of part k-1, of the same micro-batch: its activations
//   a backward (whole, or of the input) needs that of part k+1: the gradient of its output; and its forward
//   a backward of the weights needs its own backward of the input
//
// Between parts on one stage nothing is sent. All that a stage sends to another, activations and gradients,
// is one lane: it arrives in the order in which it was sent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ringside/pipeline/schedule.h"

namespace ringside::inline pipeline {

// Of one pass to the next: activations, or (backward) their gradients.
struct PipelineMessage {
  int from = 0, to = 0;  // stages
  bool backward = false;
  int64_t micro = 0;
  int from_chunk = 0, to_chunk = 0;
  bool operator==(const PipelineMessage&) const = default;
};

inline bool is_backward(StepPass::Kind kind) {
  return kind == StepPass::kBackward || kind == StepPass::kBackwardInput;
}

// What the pass sends once it is done, and what it needs before it begins; from == to where the next part
// lies on the same stage. None: it is of the last part (or the first), or of the weights.
std::optional<PipelineMessage> sent_by(const PipelineSchedule& schedule, int stage, const StepPass& pass);
std::optional<PipelineMessage> needed_by(const PipelineSchedule& schedule, int stage, const StepPass& pass);

// The forward, or the backward (whole or of the input, as it stands there), of the stage's list: it is there.
StepPass find_pass(const PipelineSchedule& schedule, int stage, bool backward, int64_t micro, int chunk);

// All that `from` sends to `to` in a step, in order.
std::vector<PipelineMessage> messages_between(const PipelineSchedule& schedule, int from, int to);

}  // namespace ringside::inline pipeline
