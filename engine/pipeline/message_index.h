// Messages, lanes and the passes of a stage as numbers, for arrays.
#pragma once

#include <cstddef>
#include <vector>

#include "ringside/pipeline/messages.h"

namespace ringside::inline pipeline {

// From one part to the next, or (backward) to the one before.
inline PipelineMessage message_between(const PipelineSchedule& schedule, int from, int to, int64_t micro) {
  return {schedule.stage_of(from), schedule.stage_of(to), to < from, micro,
          schedule.chunk_of(from), schedule.chunk_of(to)};
}

class MessageIndex {
 public:
  explicit MessageIndex(const PipelineSchedule& schedule) : schedule_(schedule) {}

  // By the pass that makes it: (forward or backward, part, micro-batch).
  size_t size() const { return 2 * size_t(schedule_.parts()) * micros(); }
  size_t of(bool backward, int part, int64_t micro) const {
    const int making = backward ? schedule_.parts() + part : part;
    return size_t(making * schedule_.micro_batches + micro);
  }
  size_t of(const PipelineMessage& message) const {
    return of(message.backward, schedule_.part_of(message.from, message.from_chunk), message.micro);
  }
  PipelineMessage message(size_t id) const {
    const size_t of_kind = size_t(schedule_.parts()) * micros();
    const int part = int(id % of_kind / micros());
    return message_between(schedule_, part, part + (id >= of_kind ? -1 : 1), int64_t(id % micros()));
  }
  // A stage sends to the next one and to the one before, of two stages to the other.
  size_t lanes() const { return 2 * size_t(schedule_.stages); }
  size_t lane(int from, int to) const {
    const int next = from + 1 == schedule_.stages ? 0 : from + 1;
    return 2 * size_t(from) + (to == next ? 0U : 1U);
  }

 private:
  size_t micros() const { return size_t(schedule_.micro_batches); }
  const PipelineSchedule& schedule_;
};

// Which passes of a stage's own list are done, and which one another needs.
class OwnPasses {
 public:
  OwnPasses(const PipelineSchedule& schedule, int stage) : schedule_(schedule), stage_(stage) {
    done_.resize(2 * size_t(schedule.chunks * schedule.micro_batches), 0);
  }
  void mark_done(const StepPass& pass) {
    if (pass.kind != StepPass::kBackwardWeight) done_[at(is_backward(pass.kind), pass.micro, pass.chunk)] = 1;
  }
  // A pass of this stage that the pass needs and that is not done: its forward, its I, the next part's here.
  bool is_missing(const StepPass& pass) const { return first_missing(pass).chunk >= 0; }
  StepPass missing(const StepPass& pass) const {  // where there is one
    const Key key = first_missing(pass);
    return find_pass(schedule_, stage_, key.backward, pass.micro, key.chunk);
  }

 private:
  struct Key {
    bool backward = false;
    int chunk = -1;  // none
  };
  Key first_missing(const StepPass& pass) const {
    const auto is_done = [&](bool backward, int chunk) {
      return done_[at(backward, pass.micro, chunk)] != 0;
    };
    const bool weights = pass.kind == StepPass::kBackwardWeight, backward = pass.kind != StepPass::kForward;
    if (backward && !is_done(weights, pass.chunk)) return {weights, pass.chunk};
    const auto source = needed_by(schedule_, stage_, pass);
    if (!source || source->from != stage_ || is_done(backward, source->from_chunk)) return {};
    return {backward, source->from_chunk};
  }

  size_t at(bool backward, int64_t micro, int chunk) const {
    return size_t(2 * (micro * schedule_.chunks + chunk) + (backward ? 1 : 0));
  }
  const PipelineSchedule& schedule_;
  const int stage_;
  std::vector<char> done_;  // (micro, chunk, forward or backward)
};

}  // namespace ringside::inline pipeline
