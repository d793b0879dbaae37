// What a dump says of a group and a call beyond what is kept of them.
#pragma once

#include <optional>

#include "ringside/flight/dump.h"

namespace ringside::flight {

inline constexpr const char* kFlightVersion = "2.10";  // of the Flight Recorder whose fields these are

// pg_status: the last collective of a group that came so far; -1: none did.
struct GroupStatus {
  int64_t last_enqueued = -1, last_started = -1, last_completed = -1;
};
GroupStatus status_of(const FlightDump& dump, const std::string& group);

std::optional<double> duration_ms(const FlightEntry& entry);  // of one that has completed

}  // namespace ringside::flight
