// Looking for a moment in events that are almost in order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ringside/trace/trace.h"

namespace ringside::inline kit {

inline constexpr size_t kNearby = 512;  // how far "almost" reaches

// The first index whose key is above `time`, in a range that is ordered by it.
template <typename T, typename Key>
size_t upper_bound(const EventRange<T>& events, int64_t time, Key key) {
  size_t low = 0, high = events.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (key(events[middle]) > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

inline int64_t time_of(const CollectiveEvent& event) {
  return std::max({event.time_created_ns, event.time_started_ns, event.time_completed_ns});
}
inline int64_t end_of(const SpanEvent& span) { return span.end_ns; }

}  // namespace ringside::inline kit
