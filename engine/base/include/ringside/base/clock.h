// The clock of a run: integer nanoseconds, steady, or virtual where a run is simulated.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace ringside::inline base {

using SteadyClock = std::chrono::steady_clock;
using TimePoint = SteadyClock::time_point;

inline int64_t to_ns(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}
inline int64_t now_ns() { return to_ns(SteadyClock::now()); }

// CPU time of this thread since it began, ns: waiting, and what else the machine does, is not in it.
inline double thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * double(time.tv_sec) + double(time.tv_nsec);
}

// The time of a simulation, which sets it as events happen. Any thread may read it.
class VirtualClock {
 public:
  explicit VirtualClock(int64_t start_ns = 0) : now_(start_ns) {}
  int64_t now_ns() const { return now_.load(std::memory_order_acquire); }
  void set(int64_t now_ns) { now_.store(now_ns, std::memory_order_release); }

 private:
  std::atomic<int64_t> now_;
};

}  // namespace ringside::inline base
