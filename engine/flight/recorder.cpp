#include "ringside/flight/recorder.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"

namespace ringside::inline flight {

FlightRecorder::FlightRecorder(int rank, size_t capacity) : rank_(rank), capacity_(capacity) {
  RINGSIDE_CHECK_GE(capacity, size_t{1});
}

void FlightRecorder::join(FlightGroup group) {
  const std::lock_guard lock(mutex_);
  groups_.push_back(std::move(group));
}

int64_t FlightRecorder::scheduled(FlightEntry entry) {
  const std::lock_guard lock(mutex_);
  if (frozen_time_ns_ != 0) return -1;
  entry.record_id = next_++;
  ring_.push_back(std::move(entry));
  if (ring_.size() > capacity_) ring_.pop_front();
  return next_ - 1;
}

void FlightRecorder::update(int64_t record_id, CollectiveState state, int64_t time_ns) {
  const std::lock_guard lock(mutex_);
  const int64_t oldest = next_ - std::ssize(ring_);
  if (record_id < oldest || record_id >= next_) return;
  FlightEntry& entry = ring_[size_t(record_id - oldest)];
  if (state == CollectiveState::kStarted) entry.time_discovered_started_ns = time_ns;
  if (state == CollectiveState::kCompleted) entry.time_discovered_completed_ns = time_ns;
  if (state != CollectiveState::kFailed) entry.state = state;
  if (state == CollectiveState::kCompleted || state == CollectiveState::kFailed) entry.retired = true;
}

void FlightRecorder::freeze(std::optional<FlightBreak> broken) {
  const std::lock_guard lock(mutex_);
  if (frozen_time_ns_ != 0) return;
  frozen_time_ns_ = now_ns();
  broken_ = std::move(broken);
}

void FlightRecorder::blocked_in(int64_t record_id) {
  const std::lock_guard lock(mutex_);
  blocked_in_ = record_id;
}

FlightDump FlightRecorder::look(size_t entries) const {
  const std::lock_guard lock(mutex_);
  const auto count = int64_t(std::min(entries, ring_.size()));
  return {.rank = rank_,
          .groups = groups_,
          .entries = {ring_.end() - count, ring_.end()},
          .forgotten = next_ - count,
          .time_ns = frozen_time_ns_ != 0 ? frozen_time_ns_ : now_ns(),
          .broken = broken_,
          .blocked_in = blocked_in_};
}

}  // namespace ringside::inline flight
