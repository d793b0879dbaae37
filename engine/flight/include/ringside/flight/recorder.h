// One rank's flight recorder: it keeps the last collectives, and is cheap enough to be always on.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "ringside/flight/dump.h"

namespace ringside::inline flight {

// Safe to use from the rank's own thread and its communication threads at once.
class FlightRecorder {
 public:
  static constexpr size_t kCapacity = 2000;  // TORCH_FR_BUFFER_SIZE's default
  explicit FlightRecorder(int rank, size_t capacity = kCapacity);

  int rank() const { return rank_; }
  void join(FlightGroup group);

  // A call was made; returns its record_id.
  int64_t scheduled(FlightEntry entry);
  // It has started, completed or failed. A failed call is retired and keeps the state that it had come to.
  // News of a call that the ring has overwritten is ignored.
  void update(int64_t record_id, CollectiveState state, int64_t time_ns);

  // Says in which call the rank's own thread waits from now on; -1: in none.
  void blocked_in(int64_t record_id);

  // From now on no call is added, so that the dump shows how things stood when a group broke, even where a
  // late rank goes on calling. A call made after it gets record_id -1.
  void freeze(std::optional<FlightBreak> broken = std::nullopt);
  FlightDump dump() const { return look(capacity_); }
  FlightDump look(size_t entries) const;  // of the newest `entries` calls alone

 private:
  const int rank_;
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::vector<FlightGroup> groups_;
  std::deque<FlightEntry> ring_;  // the last calls, up to next_ - 1
  int64_t next_ = 0;
  int64_t blocked_in_ = -1;
  int64_t frozen_time_ns_ = 0;  // 0: not frozen
  std::optional<FlightBreak> broken_;
};

}  // namespace ringside::inline flight
