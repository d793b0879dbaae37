#include "pg_status.h"

#include <algorithm>

namespace ringside::flight {

GroupStatus status_of(const FlightDump& dump, const std::string& group) {
  GroupStatus status;
  for (const FlightEntry& entry : dump.entries) {
    if (entry.group != group || entry.is_p2p()) continue;
    const int64_t seq = entry.collective_seq_id;
    status.last_enqueued = std::max(status.last_enqueued, seq);
    if (entry.state != CollectiveState::kScheduled) status.last_started = std::max(status.last_started, seq);
    if (entry.state == CollectiveState::kCompleted)
      status.last_completed = std::max(status.last_completed, seq);
  }
  return status;
}

std::optional<double> duration_ms(const FlightEntry& entry) {
  if (entry.time_discovered_started_ns == 0 || entry.time_discovered_completed_ns == 0) return std::nullopt;
  return static_cast<double>(entry.time_discovered_completed_ns - entry.time_discovered_started_ns) / 1e6;
}

}  // namespace ringside::flight
