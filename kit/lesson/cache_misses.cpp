#include "ringside/lesson/cache_misses.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ringside::inline kit {

CacheMisses::CacheMisses() {
  perf_event_attr asked{};
  asked.size = sizeof asked;
  asked.type = PERF_TYPE_HARDWARE;
  asked.config = PERF_COUNT_HW_CACHE_MISSES;
  asked.exclude_kernel = asked.exclude_hv = 1;
  counter_ = int(::syscall(SYS_perf_event_open, &asked, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

CacheMisses::~CacheMisses() {
  if (counter_ >= 0) ::close(counter_);
}

std::optional<int64_t> CacheMisses::count() const {
  int64_t misses = 0;
  if (counter_ < 0 || ::read(counter_, &misses, sizeof misses) != sizeof misses) return std::nullopt;
  return misses;
}

}  // namespace ringside::inline kit
