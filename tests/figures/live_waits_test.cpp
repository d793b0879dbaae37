// What the live panel says of a parameter server: which workers wait for whom at an instant.
#include <catch.h>

#include "../parameter_server/toy_training.h"
#include "ringside/figures/live.h"
#include "ringside/parameter_server/recording.h"
#include "ringside/trace/server_rows.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kMillisecond = 1'000'000, kDies = 200 * kMillisecond;

// Three workers that take 10, 20 and 30 ms an iteration; at kDies a node dies.
struct WaitRun {
  WaitRun(Consistency consistency, int64_t staleness, const std::function<NodeId(SimulatedCluster&)>& dies) {
    const auto store = TraceStore::create("waits");
    Recording recording({.store = store.get(), .attributes = {{kStaleness, staleness}}});
    Cluster config = toy_cluster(3, 3, 1, 53);
    config.groups[0].consistency = consistency;
    config.groups[0].staleness = staleness;
    SimulatedCluster cluster(recording.observed(config), {}, 1, [](NodeId, uint32_t rank) {
      WorkerTask task = toy_task(rank, 40, 53);
      task.compute_ns = [rank](int64_t) { return 10 * (1 + int64_t{rank}) * kMillisecond; };
      return task;
    });
    recording.attach(cluster);
    SimulatedNetwork& network = cluster.network();
    network.at(kDies, [&] { network.crash(dies(cluster)); });
    REQUIRE(cluster.train(60 * kSecond));
    trace = store->snapshot();
    index.update(trace, section(), 0);
  }
  const SectionView& section() const { return trace.sections().front(); }
  int64_t pushed(int rank, int64_t clock) const {
    for (const RowEvent* event : section().rows_of(WorkerPush::kTable))
      if (event->rank == rank && row_as<WorkerPush>(*event)->clock == clock) return event->time_ns;
    FAIL("no such push");
    return 0;
  }
  std::vector<figure::LiveWait> waits(int64_t time_ns) const { return index.traffic(0, time_ns).waits; }

  Trace trace;
  figure::LiveIndex index;
};

NodeId slowest_worker(SimulatedCluster&) { return kFirstWorker + 2; }

}  // namespace

TEST_CASE("live waits: in lock-step the fast workers wait for the slow ones, until those have pushed") {
  const WaitRun run(Consistency::kBsp, 0, slowest_worker);
  const int64_t first = run.pushed(0, 3), second = run.pushed(1, 3), third = run.pushed(2, 3);
  REQUIRE((first + 5 * kMillisecond < second && second + 5 * kMillisecond < third));
  const auto one = run.waits(second - kMillisecond), two = run.waits(third - kMillisecond);
  REQUIRE(one.size() == 1);
  CHECK(one[0].ranks == std::vector{0});
  CHECK(one[0].missing == std::vector{1, 2});
  CHECK(one[0].call == 4);
  CHECK(one[0].waited_ns == second - kMillisecond - first);
  REQUIRE(two.size() == 1);
  CHECK(two[0].ranks == std::vector{0, 1});
  CHECK(two[0].missing == std::vector{2});
  CHECK(run.waits(third + 5 * kMillisecond).empty());  // all compute
}

TEST_CASE("live waits: a killed worker is waited for until the scheduler counts it out") {
  const WaitRun run(Consistency::kBsp, 0, slowest_worker);
  const auto rows = run.section().rows_of(WaitedFor::kTable);
  const int64_t counted_out = rows.back()->time_ns;
  REQUIRE(counted_out > kDies + 100 * kMillisecond);
  REQUIRE(run.waits(counted_out - kMillisecond).size() == 1);
  CHECK(run.waits(counted_out - kMillisecond)[0].ranks == std::vector{0, 1});
  CHECK(run.waits(counted_out - kMillisecond)[0].missing == std::vector{2});
  for (int64_t time_ns = counted_out + 5 * kMillisecond; time_ns < counted_out + 100 * kMillisecond;
       time_ns += kMillisecond)
    for (const figure::LiveWait& wait : run.waits(time_ns)) CHECK(wait.missing != std::vector{2});
}

TEST_CASE("live waits: within the staleness nobody waits for a worker, and beyond it the fast one does") {
  const WaitRun few(Consistency::kSsp, 3, slowest_worker), any(Consistency::kAsp, -1, slowest_worker);
  const auto waits_for_slowest = [](const WaitRun& run, int64_t until_ns) {
    for (int64_t time_ns = kMillisecond; time_ns < until_ns; time_ns += kMillisecond)
      for (const figure::LiveWait& wait : run.waits(time_ns))
        if (!wait.missing.empty()) return time_ns;
    return int64_t{0};
  };
  // Worker 0 may begin its iteration 3 before worker 2 has pushed, its iteration 4 only after.
  CHECK(waits_for_slowest(few, few.pushed(2, 0)) == 0);
  const int64_t begins = waits_for_slowest(few, kDies);
  CHECK(begins > few.pushed(0, 4));
  CHECK(waits_for_slowest(any, kDies) == 0);
}

TEST_CASE("live waits: where a range's owner dies, it is the owner that is waited for") {
  const WaitRun run(Consistency::kAsp, -1, [](SimulatedCluster& cluster) {
    return cluster.scheduler().table().chains[0].nodes.front();
  });
  const auto waits = run.waits(kDies + 100 * kMillisecond);
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].ranks == std::vector{0, 1, 2});
  REQUIRE(waits[0].missing.size() == 1);
  CHECK(run.section().life(waits[0].missing[0]).ended_ns == kDies);
}
