// How much memory a piece of work takes at its worst, as the allocator saw it.
#pragma once

#include <cstdint>
#include <functional>

namespace ringside::inline tensor {

// The highest sum of live bytes that `work` allocates on this thread; what was live before is not in it. The
// thread's own hook, if there is one, sees nothing meanwhile, so that what is allocated must be freed inside.
int64_t peak_memory_of(const std::function<void()>& work);

}  // namespace ringside::inline tensor
