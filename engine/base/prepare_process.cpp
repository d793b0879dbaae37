#include "ringside/base/prepare_process.h"

#include <malloc.h>

namespace ringside {

void prepare_process() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the highest that glibc takes
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
}

}  // namespace ringside
