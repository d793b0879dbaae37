// Whether freed memory goes back to the system: what malloc is told of it cannot be asked.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace ringside::testing {

inline constexpr size_t kFreedMemory = size_t{100} << 20;

// How much of kFreedMemory the heap keeps when all of it has been freed; 0 where another malloc is in place.
inline size_t kept_memory() {
  constexpr size_t kBlock = size_t{64} << 10;
  std::vector<void*> blocks(kFreedMemory / kBlock);  // below the blocks
  const size_t before = mallinfo2().arena;
  for (void*& block : blocks) block = std::malloc(kBlock);
  const size_t most = mallinfo2().arena;
  for (void* block : blocks) std::free(block);
  const size_t after = mallinfo2().arena;
  return most <= before || after <= before ? 0 : after - before;
}

}  // namespace ringside::testing
