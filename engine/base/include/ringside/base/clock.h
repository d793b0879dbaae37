// The one clock of a run: steady, integer nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace ringside {

using SteadyClock = std::chrono::steady_clock;
using TimePoint = SteadyClock::time_point;

inline int64_t to_ns(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}
inline int64_t now_ns() { return to_ns(SteadyClock::now()); }

}  // namespace ringside
