// BSP without filters is synchronous SGD, bit for bit: whatever the number of workers, servers and copies,
// the optimizer, and what the network does.
#include <catch.h>

#include "toy_training.h"

using namespace ringside;
using namespace ringside::ps;
using namespace ringside::testing;

namespace {

constexpr int64_t kClocks = 6;
constexpr uint64_t kKeys = 53;

std::vector<float> train(const Cluster& cluster, NetworkModel model, uint64_t seed = 1) {
  SimulatedCluster simulated(cluster, model, seed,
                             [](NodeId, uint32_t rank) { return toy_task(rank, kClocks, kKeys); });
  REQUIRE(simulated.train(60 * kSecond));
  return simulated.values().value();
}

}  // namespace

TEST_CASE("parameter server: BSP gives the bits of synchronous SGD, for any workers, servers and copies") {
  for (const uint32_t workers : {1, 2, 3, 7}) {
    for (const uint32_t servers : {1, 2, 3, 5}) {
      for (const uint32_t backups : {0, 1, 2}) {
        const Cluster cluster = toy_cluster(workers, servers, backups, kKeys);
        CAPTURE(workers, servers, backups);
        CHECK(train(cluster, {}) == synchronous_sgd(cluster.groups[0], workers, kClocks));
      }
    }
  }
}

TEST_CASE("parameter server: BSP gives the bits of every elementwise optimizer") {
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement) continue;
    Cluster cluster = toy_cluster(3, 3, 1, kKeys);
    cluster.groups[0].optimizer = {.name = spec.name};
    cluster.groups[0].learning_rate = 0.01;
    CAPTURE(spec.name);
    CHECK(train(cluster, {}) == synchronous_sgd(cluster.groups[0], 3, kClocks));
  }
}

TEST_CASE("parameter server: loss, duplication and reordering change no bit") {
  const NetworkModel bad{.loss = 0.1, .duplication = 0.05, .reordering = 0.2};
  const Cluster cluster = toy_cluster(3, 4, 2, kKeys);
  const std::vector<float> expected = synchronous_sgd(cluster.groups[0], 3, kClocks);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    CHECK(train(cluster, bad, seed) == expected);
  }
}
