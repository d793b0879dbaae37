// Which passes of a stage's own list are done, and which one another needs.
#pragma once

#include <optional>
#include <vector>

#include "message_index.h"

namespace ringside {

class OwnPasses {
 public:
  OwnPasses(const PipelineSchedule& schedule, int stage) : schedule_(schedule), stage_(stage) {
    done_.resize(2 * static_cast<size_t>(schedule.chunks * schedule.micro_batches), 0);
  }
  void mark_done(const StepPass& pass) {
    if (pass.kind != StepPass::kBackwardWeight) done_[at(is_backward(pass.kind), pass.micro, pass.chunk)] = 1;
  }
  // Of this stage, needed and not done: the pass's forward, its I, or that of the next part where that is
  // here too.
  std::optional<StepPass> missing(const StepPass& pass) const {
    const auto unless_done = [&](bool backward, int chunk) -> std::optional<StepPass> {
      if (done_[at(backward, pass.micro, chunk)] != 0) return std::nullopt;
      return find_pass(schedule_, stage_, backward, pass.micro, chunk);
    };
    if (pass.kind == StepPass::kBackwardWeight) return unless_done(true, pass.chunk);
    const bool backward = is_backward(pass.kind);
    if (backward)
      if (const auto own = unless_done(false, pass.chunk)) return own;
    const auto source = needed_by(schedule_, stage_, pass);
    return source && source->from == stage_ ? unless_done(backward, source->from_chunk) : std::nullopt;
  }

 private:
  size_t at(bool backward, int64_t micro, int chunk) const {
    return (static_cast<size_t>(micro) * static_cast<size_t>(schedule_.chunks) + static_cast<size_t>(chunk)) *
               2 +
           (backward ? 1 : 0);
  }
  const PipelineSchedule& schedule_;
  const int stage_;
  std::vector<char> done_;  // (micro, chunk, forward or backward)
};

}  // namespace ringside
