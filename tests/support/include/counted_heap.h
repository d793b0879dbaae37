// How much memory a program takes: its operator new counts. One file of a program includes this. Under a
// sanitizer, which has its own, nothing is counted.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace ringside::testing {
inline std::atomic<int64_t> heap_bytes{0}, most_heap_bytes{0};
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
