#include "ringside/flight/recorder.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"

namespace ringside {

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
  const auto place = static_cast<size_t>(entry.record_id) % capacity_;
  if (place == ring_.size())
    ring_.push_back(std::move(entry));
  else
    ring_[place] = std::move(entry);
  return next_ - 1;
}

void FlightRecorder::update(int64_t record_id, CollectiveState state, int64_t time_ns) {
  const std::lock_guard lock(mutex_);
  if (record_id < 0 || record_id >= next_) return;
  FlightEntry& entry = ring_[static_cast<size_t>(record_id) % capacity_];
  if (entry.record_id != record_id) return;
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
  FlightDump dump{.rank = rank_,
                  .groups = groups_,
                  .entries = {},
                  .forgotten = next_ - static_cast<int64_t>(std::min(entries, ring_.size())),
                  .time_ns = frozen_time_ns_ != 0 ? frozen_time_ns_ : now_ns(),
                  .broken = broken_,
                  .blocked_in = blocked_in_};
  for (int64_t record = dump.forgotten; record < next_; ++record)
    dump.entries.push_back(ring_[static_cast<size_t>(record) % capacity_]);
  return dump;
}

}  // namespace ringside
