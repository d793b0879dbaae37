// How long a collective may take, and the other limits that follow from it.
#pragma once

#include <chrono>

namespace ringside {

inline constexpr std::chrono::nanoseconds kLongestTimeout = std::chrono::hours(24);

// What holds a rank until its group breaks: longer than any deadline.
inline constexpr std::chrono::nanoseconds kHoldForEver = 2 * kLongestTimeout;

// The communication thread ends every call by the group's timeout. A thread that waits longer than this
// waits for a communication thread that is stuck itself. The hour is for the calls queued before it and for
// a slow simulated link.
constexpr std::chrono::nanoseconds stuck_limit(std::chrono::nanoseconds timeout) {
  return timeout + std::chrono::hours(1);
}

}  // namespace ringside
