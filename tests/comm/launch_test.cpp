#include <catch.h>
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "patience.h"
#include "ringside/base/threads.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/launch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

void ignore(int, const std::string&) {}

PeerLostError lost(const std::string& text) { return {CallRecord{}, {0}, text}; }

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace

TEST_CASE("every rank runs once, on a thread of its own name") {
  std::mutex mutex;
  std::set<std::string> names;
  run_ranks(
      5,
      [&](int) {
        const std::lock_guard lock(mutex);
        char name[16] = {};
        pthread_getname_np(pthread_self(), name, sizeof name);
        names.insert(name);
      },
      ignore);
  CHECK(names == std::set<std::string>{"rank0", "rank1", "rank2", "rank3", "rank4"});
}

TEST_CASE("the first error in time is rethrown") {
  CHECK_THROWS_WITH(run_ranks(
                        3,
                        [](int rank) {
                          pause(rank == 2 ? 0 : 200);
                          throw std::runtime_error("rank " + std::to_string(rank));
                        },
                        ignore),
                    "rank 2");
}

TEST_CASE("a cause goes before the lost peers it makes, even if it came later") {
  CHECK_THROWS_WITH(run_ranks(
                        3,
                        [](int rank) {
                          if (rank != 1) throw lost("rank 1 went away");
                          pause(100);
                          throw std::runtime_error("the cause");
                        },
                        ignore),
                    "the cause");
  CHECK_THROWS_AS(run_ranks(
                      2, [](int) { throw lost("rank 1 went away"); }, ignore),
                  PeerLostError);
}

TEST_CASE("a failure is reported at once, so that others can be woken") {
  std::atomic<bool> woken = false;
  CHECK_THROWS_WITH(run_ranks(
                        2,
                        [&](int rank) {
                          if (rank == 0) throw std::runtime_error("stop");
                          eventually([&] { return woken.load(); });
                          if (!woken) throw std::logic_error("nobody woke rank 1");
                        },
                        [&](int rank, const std::string& reason) { woken = rank == 0 && reason == "stop"; }),
                    "stop");
  CHECK(woken);
}

TEST_CASE("an exception of any type is carried") {
  CHECK_THROWS_AS(run_ranks(
                      2, [](int) { throw 42; }, ignore),
                  int);
}
