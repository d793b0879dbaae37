#include "ringside/pipeline/messages.h"

#include <algorithm>

#include "message_index.h"
#include "ringside/base/check.h"

namespace ringside::inline pipeline {
namespace {

// None where the model ends there, and of weights.
std::optional<PipelineMessage> between(const PipelineSchedule& schedule, int from, int to,
                                       const StepPass& pass) {
  if (pass.kind == StepPass::kBackwardWeight || std::min(from, to) < 0 ||
      std::max(from, to) >= schedule.parts())
    return std::nullopt;
  return message_between(schedule, from, to, pass.micro);
}

}  // namespace

std::optional<PipelineMessage> sent_by(const PipelineSchedule& schedule, int stage, const StepPass& pass) {
  const int part = schedule.part_of(stage, pass.chunk);
  return between(schedule, part, is_backward(pass.kind) ? part - 1 : part + 1, pass);
}

std::optional<PipelineMessage> needed_by(const PipelineSchedule& schedule, int stage, const StepPass& pass) {
  const int part = schedule.part_of(stage, pass.chunk);
  return between(schedule, is_backward(pass.kind) ? part + 1 : part - 1, part, pass);
}

StepPass find_pass(const PipelineSchedule& schedule, int stage, bool backward, int64_t micro, int chunk) {
  const StepSchedule& passes = schedule.of_stage[size_t(stage)];
  const auto found = std::ranges::find_if(passes, [&](const StepPass& pass) {
    const bool kind = backward ? is_backward(pass.kind) : pass.kind == StepPass::kForward;
    return kind && pass.micro == micro && pass.chunk == chunk;
  });
  RINGSIDE_CHECK(found != passes.end(), "a pass is asked for that the stage does not have");
  return *found;
}

std::vector<PipelineMessage> messages_between(const PipelineSchedule& schedule, int from, int to) {
  std::vector<PipelineMessage> messages;
  if (from == to) return messages;
  for (const StepPass& pass : schedule.of_stage[size_t(from)])
    if (const auto message = sent_by(schedule, from, pass); message && message->to == to)
      messages.push_back(*message);
  return messages;
}

}  // namespace ringside::inline pipeline
