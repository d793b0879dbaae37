// How long nobody reads a range after its head was killed. Li et al. report 0.8 s (OSDI 2014).
#include <catch.h>

#include "toy_training.h"

using namespace ringside;
using namespace ringside::ps;
using namespace ringside::testing;

namespace {

// Simulated ns from the head's death to the first answer of its successor.
int64_t outage_ns(uint32_t backups, const NetworkModel& model, uint64_t seed) {
  const Cluster cluster = toy_cluster(3, 4, backups, 53);
  SimulatedCluster simulated(cluster, model, seed,
                             [](NodeId, uint32_t rank) { return toy_task(rank, 400, 53); });
  SimulatedNetwork& network = simulated.network();
  int64_t killed_ns = -1, answered_ns = -1;
  network.at(200'000'000, [&] {
    killed_ns = network.now_ns();
    network.crash(simulated.scheduler().table().chains[0].nodes.front());
  });
  network.observe([&](const NetworkEvent& event) {
    if (killed_ns < 0 || answered_ns >= 0 || event.kind != NetworkEvent::Kind::kSent) return;
    const Message message = decode(*event.bytes, cluster.world);
    if (const auto* pulled = std::get_if<Pulled>(&message); pulled != nullptr && pulled->range == 0)
      answered_ns = event.time_ns;
  });
  network.run(10 * kSecond, [&] { return answered_ns >= 0; });
  REQUIRE(answered_ns >= 0);
  CHECK(simulated.scheduler().losses().empty());
  return answered_ns - killed_ns;
}

}  // namespace

TEST_CASE("recovery: a killed head's range is read again within a simulated second") {
  for (const uint32_t backups : {1, 2}) {
    int64_t longest = 0;
    for (uint64_t seed = 0; seed < 10; ++seed) {
      longest = std::max(longest, outage_ns(backups, {}, seed));
      longest =
          std::max(longest, outage_ns(backups, {.loss = 0.1, .duplication = 0.05, .reordering = 0.2}, seed));
    }
    CAPTURE(backups, longest);
    CHECK(longest > 200'000'000);  // nobody knows before its heartbeats stay out
    CHECK(longest < kSecond);
  }
}
