#include "ringside/base/threads.h"

#include <pthread.h>

#include "catch.h"
#include "kept_memory.h"
#include "ringside/base/error.h"
#include "ringside/base/prepare_process.h"
#include "ringside/base/turns.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a thread has its name; the wait report lists who waits for what, the longest first") {
  const auto own_name = [] {
    const WaitScope wait("");
    return wait_report();
  };
  std::string before, name, system_name;
  std::thread([&] {
    before = own_name();
    set_thread_name("rank3.communication");
    name = own_name();
    char kept[16] = {};
    pthread_getname_np(pthread_self(), kept, sizeof kept);
    system_name = kept;
  }).join();
  CHECK(before.starts_with("main: "));
  CHECK(name.starts_with("rank3.communication: "));
  CHECK(system_name == "rank3.communica");
  CHECK(own_name().starts_with("main: "));
  CHECK(wait_report().empty());
  std::optional<WaitScope> outer("dp #41 all_reduce, missing rank 3");
  std::thread([] {
    set_thread_name("rank7");
    const WaitScope inner("link, 3 ms");
    const std::string report = wait_report();
    const size_t first = report.find("main: dp #41 all_reduce, missing rank 3 (for ");
    const size_t second = report.find("rank7: link, 3 ms (for ");
    CHECK(first == 0);
    CHECK(second != std::string::npos);
    CHECK(second > first);
  }).join();
  CHECK(wait_report().find("rank7") == std::string::npos);
  outer.reset();
  CHECK(wait_report().empty());
}

TEST_CASE("threads may wait and report at once; sides take turns, there and back") {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 500; ++i) {
        const WaitScope wait("turn");
        if (i % 50 == 0) wait_report();
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wait_report().empty());
  std::string order;
  const auto side = [&](char name, size_t ends_at) -> SideMs {
    return [&order, name, ends_at] {
      if (order.size() == ends_at) throw InputError("planted");
      order += name;
      return static_cast<double>(order.size());
    };
  };
  RoundsMs ms;
  take_turns({side('a', 100), side('b', 100), side('c', 100)}, 3, ms);
  CHECK(order == "abccbaabc");
  CHECK(ms == RoundsMs{{1, 6, 7}, {2, 5, 8}, {3, 4, 9}});
  RoundsMs two;
  CHECK_THROWS_AS(take_turns({side('a', 100), side('b', 14)}, 3, two), InputError);
  CHECK(order == "abccbaabcabbaa");
  CHECK(two == RoundsMs{{10, 13}, {11, 12}});
}

TEST_CASE("a prepared process keeps freed memory") {
  if (mallinfo2().arena == 0) return;  // a sanitizer's malloc
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  mallopt(M_TOP_PAD, 0);
  CHECK(kept_memory() < kFreedMemory / 2);
  prepare_process();
  CHECK(kept_memory() > kFreedMemory / 2);
}
