#include "ringside/lesson/cache_misses.h"

#include <vector>

#include "catch.h"
#include "ringside/base/random.h"

using namespace ringside;

TEST_CASE("a walk through memory in no order misses the cache more often than one in a row") {
  const CacheMisses misses;
  if (!misses.count()) return;          // this machine lets no program count them
  constexpr size_t kNumbers = 1 << 24;  // 64 MiB: more than a cache of one core
  std::vector<uint32_t> next(kNumbers);
  RandomStream random(1, "cache misses");
  for (uint32_t& number : next) number = static_cast<uint32_t>(random.below(kNumbers));
  uint32_t sum = 0;
  const auto misses_of = [&](const auto& walk) {
    const int64_t before = misses.count().value();
    for (size_t i = 0; i < 1 << 16; ++i) sum += walk(i);
    return misses.count().value() - before;
  };
  const int64_t in_a_row = misses_of([&](size_t i) { return next[i]; });
  const int64_t anywhere = misses_of([&](size_t i) { return next[next[next.size() - 1 - i]]; });
  INFO("sum " << sum);
  CHECK(in_a_row >= 0);
  CHECK(anywhere > in_a_row);
}
