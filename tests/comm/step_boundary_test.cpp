#include "ringside/comm/step_boundary.h"

#include <atomic>
#include <map>
#include <thread>

#include "catch.h"
#include "patience.h"
#include "ringside/comm/launch.h"
#include "ringside/trace/trace.h"
#include "thread_group.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Steps until cancelled, at most `limit`; the number of steps of each rank. Those of rank 0 are also
// counted in `taken`, as they happen.
std::vector<int64_t> count_steps(int ranks, int64_t limit, RunControl& control,
                                 std::chrono::milliseconds timeout, std::atomic<int64_t>* taken = nullptr,
                                 const std::vector<Recorder*>& recorders = {}) {
  ThreadGroupOptions options;
  options.timeout = timeout;
  options.recorders = recorders;
  auto groups = make_thread_group(ranks, options);
  std::vector<int64_t> steps(ranks);
  run_ranks(
      ranks,
      [&](int rank) {
        while (steps[rank] < limit && pass_step_boundary(*groups[rank], control)) {
          ++steps[rank];
          if (rank == 0 && taken != nullptr) ++*taken;
        }
      },
      [&](int rank, const std::string& reason) { groups[rank]->abort(reason); });
  return steps;
}

}  // namespace

TEST_CASE("Ranks that nobody stops take every step") {
  RunControl control;
  for (const int ranks : {1, 2, 5}) {
    CHECK(count_steps(ranks, 7, control, std::chrono::seconds(60)) == std::vector<int64_t>(ranks, 7));
  }
}

TEST_CASE("A cancelled run stops at the same step on every rank") {
  for (int trial = 0; trial < 20; ++trial) {
    RunControl control;
    std::thread watcher([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(200 * trial));
      control.cancel();
    });
    const auto steps = count_steps(4, int64_t{1} << 40, control, std::chrono::seconds(60));
    watcher.join();
    CHECK(steps == std::vector<int64_t>(4, steps[0]));
  }
}

TEST_CASE("A pause may last longer than the group's deadline") {
  RunControl control;
  control.pause();
  std::atomic<int64_t> taken = 0;
  std::thread watcher([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    control.step();
    control.step();
    eventually([&] { return taken == 2; });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for a third step, which nobody granted
    control.cancel();
  });
  const auto steps = count_steps(3, 100, control, std::chrono::milliseconds(1000), &taken);
  watcher.join();
  CHECK(steps == std::vector<int64_t>(3, 2));
}

TEST_CASE("However long a pause, a step boundary is one call of the run, and calls keep their numbers") {
  for (const auto pause : {std::chrono::milliseconds(0), std::chrono::milliseconds(700)}) {
    const auto store = TraceStore::create("test");
    const auto recorders = store->add_section("steps", {}, 3);
    RunControl control;
    control.pause();
    std::thread watcher([&] {
      std::this_thread::sleep_for(pause);
      control.resume();
    });
    count_steps(3, 4, control, kPatience, nullptr, recorders);
    watcher.join();
    const Trace trace = store->snapshot();
    for (int rank = 0; rank < 3; ++rank) {
      std::map<int64_t, int64_t> sent;  // by number, once completed
      for (const CollectiveEvent& event : trace.find("steps")->collectives(rank))
        if (event.state == CollectiveState::kCompleted) sent[event.collective_seq_id] += event.bytes_sent;
      const int64_t bytes = rank == 0 ? 2 * 8 : 0;
      CHECK(sent == std::map<int64_t, int64_t>{{0, bytes}, {1, bytes}, {2, bytes}, {3, bytes}});
    }
  }
}
