// What a thread itself has computed: waiting, and what else the machine does, is not in it.
#pragma once

#include <time.h>

namespace ringside::inline base {

// CPU time of this thread since it began, ns.
inline double thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

}  // namespace ringside::inline base
