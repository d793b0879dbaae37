#include "counted_heap.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace ringside::testing {
std::atomic<int64_t> heap_bytes{0}, most_heap_bytes{0};
}

#ifndef RINGSIDE_SANITIZED
void* operator new(size_t bytes) {
  using namespace ringside::testing;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  const int64_t now = heap_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  if (now > most_heap_bytes) most_heap_bytes = now;
  return memory;
}
void operator delete(void* memory) noexcept {
  ringside::testing::heap_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }
#endif
