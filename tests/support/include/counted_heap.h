// How much memory a program takes: with this header its operator new counts (support/counted_heap.cpp). Under
// a sanitizer, which has its own, nothing is counted.
#pragma once

#include <atomic>
#include <cstdint>

namespace ringside::testing {
extern std::atomic<int64_t> heap_bytes, most_heap_bytes;
}
