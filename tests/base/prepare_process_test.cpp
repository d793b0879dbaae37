#include "ringside/base/prepare_process.h"

#include "catch.h"
#include "kept_memory.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a prepared process keeps freed memory") {
  if (mallinfo2().arena == 0) return;  // a sanitizer's malloc
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  mallopt(M_TOP_PAD, 0);
  CHECK(kept_memory() < kFreedMemory / 2);
  prepare_process();
  CHECK(kept_memory() > kFreedMemory / 2);
}
