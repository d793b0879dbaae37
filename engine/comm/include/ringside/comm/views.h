// Parts of buffers: pieces by offset, and how a buffer is cut into one chunk a rank.
#pragma once

#include <cstddef>

#include "ringside/comm/process_group.h"

namespace ringside {

inline View slice(View view, int64_t offset, int64_t count) {
  return {static_cast<std::byte*>(view.data) + offset * size_of(view.dtype), count, view.dtype, view.device};
}
inline ConstView slice(ConstView view, int64_t offset, int64_t count) {
  return {static_cast<const std::byte*>(view.data) + offset * size_of(view.dtype), count, view.dtype,
          view.device};
}

// Chunk r of n elements over N ranks: [r n / N, (r+1) n / N). Sizes differ by one at most.
struct Chunk {
  int64_t offset = 0;
  int64_t count = 0;
};
inline Chunk chunk_of(int64_t elements, int size, int rank) {
  // r n / N without the product, which may not fit: n = q N + m.
  const int64_t quotient = elements / size, remainder = elements % size;
  const auto start = [&](int64_t r) { return r * quotient + r * remainder / size; };
  return {start(rank), start(rank + 1) - start(rank)};
}

}  // namespace ringside
