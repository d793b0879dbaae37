// Settings of a whole process. They are its program's matter: no other part of the engine changes them.
#pragma once

#include <malloc.h>

namespace ringside::inline base {

// Called first in the main() of a program that trains. It changes no bit, and steps take less time:
// activations of a few hundred KiB come and go in every step; by default glibc maps and unmaps each of them,
// and the kernel zeroes their pages anew. From here on freed memory is kept for the next.
inline void prepare_process() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the highest that glibc takes
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
}

}  // namespace ringside::inline base
