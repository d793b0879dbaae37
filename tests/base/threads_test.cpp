#include "ringside/base/threads.h"

#include <pthread.h>

#include <optional>
#include <thread>
#include <vector>

#include "catch.h"

using namespace ringside;

TEST_CASE("a thread has the name it was given") {
  std::string before, name, system_name;
  std::thread([&] {
    before = thread_name();
    set_thread_name("rank3.communication");
    name = thread_name();
    char kept[16] = {};
    pthread_getname_np(pthread_self(), kept, sizeof kept);
    system_name = kept;
  }).join();
  CHECK(before == "main");
  CHECK(name == "rank3.communication");
  CHECK(system_name == "rank3.communica");
  CHECK(thread_name() == "main");
}

TEST_CASE("the wait report lists who waits for what, the longest first") {
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

TEST_CASE("threads may wait and report at once") {
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
}
