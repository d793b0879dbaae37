// How often this thread missed the processor's last cache, in its own code alone, since the counter was made
// (perf_event_open(2)). Many machines let no program count: virtual ones, and where
// /proc/sys/kernel/perf_event_paranoid is above 2.
#pragma once

#include <cstdint>
#include <optional>

namespace ringside::inline kit {

class CacheMisses {
 public:
  CacheMisses();
  ~CacheMisses();
  CacheMisses& operator=(CacheMisses&&) = delete;
  std::optional<int64_t> count() const;  // none where they cannot be counted

 private:
  int counter_ = -1;
};

}  // namespace ringside::inline kit
