// Messages and lanes as numbers, for arrays.
#pragma once

#include <cstddef>

#include "ringside/pipeline/messages.h"

namespace ringside::inline pipeline {

class MessageIndex {
 public:
  explicit MessageIndex(const PipelineSchedule& schedule) : schedule_(schedule) {}

  // By the pass that makes it: (forward or backward, part, micro-batch).
  size_t size() const { return 2 * static_cast<size_t>(schedule_.parts()) * micros(); }
  size_t of(bool backward, int part, int64_t micro) const {
    return (static_cast<size_t>(backward ? schedule_.parts() : 0) + static_cast<size_t>(part)) * micros() +
           static_cast<size_t>(micro);
  }
  size_t of(const PipelineMessage& message) const {
    return of(message.backward, schedule_.part_of(message.from, message.from_chunk), message.micro);
  }
  PipelineMessage message(size_t id) const {
    const size_t of_kind = static_cast<size_t>(schedule_.parts()) * micros();
    const bool backward = id >= of_kind;
    const int part = static_cast<int>(id % of_kind / micros()), next = part + (backward ? -1 : 1);
    return {schedule_.stage_of(part), schedule_.stage_of(next), backward, static_cast<int64_t>(id % micros()),
            schedule_.chunk_of(part), schedule_.chunk_of(next)};
  }
  // A stage sends to the next one and to the one before, of two stages to the other.
  size_t lanes() const { return 2 * static_cast<size_t>(schedule_.stages); }
  size_t lane(int from, int to) const {
    const int next = from + 1 == schedule_.stages ? 0 : from + 1;
    return 2 * static_cast<size_t>(from) + (to == next ? 0U : 1U);
  }

 private:
  size_t micros() const { return static_cast<size_t>(schedule_.micro_batches); }
  const PipelineSchedule& schedule_;
};

}  // namespace ringside::inline pipeline
