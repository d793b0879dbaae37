#include "ringside/pipeline/messages.h"

#include <algorithm>

#include "ringside/base/check.h"

namespace ringside::inline pipeline {
namespace {

// The part behind (forward) or before (backward); none where the model ends there.
std::optional<int> next_part(const PipelineSchedule& schedule, int part, bool behind) {
  const int next = part + (behind ? 1 : -1);
  return next >= 0 && next < schedule.parts() ? std::optional(next) : std::nullopt;
}

}  // namespace

std::optional<PipelineMessage> sent_by(const PipelineSchedule& schedule, int stage, const StepPass& pass) {
  if (pass.kind == StepPass::kBackwardWeight) return std::nullopt;
  const bool backward = is_backward(pass.kind);
  const auto next = next_part(schedule, schedule.part_of(stage, pass.chunk), !backward);
  if (!next) return std::nullopt;
  return PipelineMessage{stage,      schedule.stage_of(*next), backward, pass.micro,
                         pass.chunk, schedule.chunk_of(*next)};
}

std::optional<PipelineMessage> needed_by(const PipelineSchedule& schedule, int stage, const StepPass& pass) {
  if (pass.kind == StepPass::kBackwardWeight) return std::nullopt;
  const bool backward = is_backward(pass.kind);
  const auto source = next_part(schedule, schedule.part_of(stage, pass.chunk), backward);
  if (!source) return std::nullopt;
  return PipelineMessage{schedule.stage_of(*source), stage,     backward, pass.micro,
                         schedule.chunk_of(*source), pass.chunk};
}

StepPass find_pass(const PipelineSchedule& schedule, int stage, bool backward, int64_t micro, int chunk) {
  const StepSchedule& passes = schedule.of_stage[static_cast<size_t>(stage)];
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
  for (const StepPass& pass : schedule.of_stage[static_cast<size_t>(from)])
    if (const auto message = sent_by(schedule, from, pass); message && message->to == to)
      messages.push_back(*message);
  return messages;
}

}  // namespace ringside::inline pipeline
