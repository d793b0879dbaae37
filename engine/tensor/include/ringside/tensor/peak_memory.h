// How much memory a piece of work takes at its worst, and how much its result keeps, as the allocator saw it.
#pragma once

#include "ringside/tensor/memory_hook.h"

namespace ringside::inline tensor {

// The highest sum of live bytes that `work` allocates on this thread; what was live before is not in it. The
// thread's own hook, if there is one, sees nothing meanwhile, so that what is allocated must be freed inside.
template <typename Work>
int64_t peak_memory_of(const Work& work) {
  const MemoryHook hook(nullptr);
  work();
  return hook.peak_total();
}

// The bytes that `work` allocates on this thread and its result keeps alive: of a forward what its graph
// keeps for backward, and its output.
template <typename Work>
int64_t kept_bytes_of(const Work& work) {
  const MemoryHook hook(nullptr);
  const auto result = work();
  return hook.live_total();
}

}  // namespace ringside::inline tensor
