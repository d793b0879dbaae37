#include "ringside/tensor/peak_memory.h"

#include <algorithm>

namespace ringside::inline tensor {

int64_t peak_memory_of(const std::function<void()>& work) {
  const auto store = TraceStore::create("peak");
  {
    const MemoryHook hook(store->add_section("work", {}, 1).at(0));
    work();
  }
  int64_t peak = 0;
  const Trace trace = store->snapshot();
  for (const Category category : kCategories)
    for (const MemoryEvent& event : trace.sections().front().memory(0, category))
      peak = std::max(peak, event.total_bytes);
  return peak;
}

}  // namespace ringside::inline tensor
