// BSP without filters is synchronous SGD, bit for bit: whatever the number of workers, servers and copies,
// the optimizer, and what the network does.
#include <catch.h>

#include "pairwise.h"
#include "ringside/comm/launch.h"
#include "thread_group.h"
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
  for (const std::vector<size_t>& row : pairwise({4, 4, 3})) {
    const uint32_t workers = std::array{1U, 2U, 3U, 7U}[row[0]], servers = std::array{1U, 2U, 3U, 5U}[row[1]];
    const auto backups = static_cast<uint32_t>(row[2]);
    CAPTURE(workers, servers, backups);
    const Cluster cluster = toy_cluster(workers, servers, backups, kKeys);
    CHECK(train(cluster, {}) == synchronous_sgd(cluster.groups[0], workers, kClocks));
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

TEST_CASE("parameter server: a killed server and one that joins change no bit") {
  const Cluster cluster = toy_cluster(3, 4, 1, kKeys);
  const std::vector<float> expected = synchronous_sgd(cluster.groups[0], 3, kClocks);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimulatedCluster simulated(cluster, {.loss = 0.1, .duplication = 0.05, .reordering = 0.2}, seed,
                               [](NodeId, uint32_t rank) { return toy_task(rank, kClocks, kKeys); });
    simulated.network().crash_at_send(kFirstServer + static_cast<NodeId>(seed % 4),
                                      20 + static_cast<int64_t>(9 * seed));
    simulated.network().at(60'000'000, [&] { simulated.add_server(); });
    CAPTURE(seed);
    REQUIRE(simulated.train(60 * kSecond));
    SimulatedNetwork& network = simulated.network();
    network.run(network.now_ns() + 2 * kSecond, [] { return false; });
    network.run(network.now_ns() + 5 * kSecond, [&] { return simulated.values().has_value(); });
    CHECK(simulated.values() == expected);
  }
}

TEST_CASE("parameter server: sparse gradients under BSP touch the keys that they name, in rank order") {
  Cluster cluster = toy_cluster(3, 3, 1, kKeys);
  cluster.groups[0].optimizer = {.name = "adagrad"};
  const auto train_sparse = [&](uint32_t servers, NetworkModel model) {
    cluster.servers = servers;
    SimulatedCluster simulated(cluster, model, 3,
                               [](NodeId, uint32_t rank) { return toy_task(rank, kClocks, kKeys, true); });
    REQUIRE(simulated.train(60 * kSecond));
    return simulated.values().value();
  };
  const std::vector<float> one = train_sparse(1, {});
  CHECK(train_sparse(4, {}) == one);
  CHECK(train_sparse(3, {.loss = 0.1, .duplication = 0.05, .reordering = 0.2}) == one);
  CHECK(one != synchronous_sgd(cluster.groups[0], 3, kClocks));
}

TEST_CASE("parameter server: the loop it is held against has the bits of an all-reduce over as many ranks") {
  for (const int workers : {2, 3, 7}) {
    const KeyGroup group = toy_cluster(static_cast<uint32_t>(workers), 1, 0, kKeys).groups[0];
    const Optimizer optimizer = make_optimizer(group.optimizer);
    const auto handles = make_thread_group(workers, {});
    std::vector<std::vector<float>> weights(static_cast<size_t>(workers), std::vector<float>(kKeys));
    run_ranks(
        workers,
        [&](int rank) {
          std::vector<float>& own = weights[static_cast<size_t>(rank)];
          for (uint64_t key = 0; key < kKeys; ++key) own[key] = toy_initial(key);
          for (int64_t clock = 0; clock < kClocks; ++clock) {
            std::vector<float> gradient = toy_gradient(static_cast<uint32_t>(rank), clock, own, {});
            handles[static_cast<size_t>(rank)]->all_reduce({gradient.data(), kKeys}, {})->wait();
            optimizer.update({.count = kKeys, .weights = own.data(), .gradient = gradient.data()},
                             {group.learning_rate, clock + 1, group.gradient_scale});
          }
        },
        [&](int rank, const std::string& reason) { handles[static_cast<size_t>(rank)]->abort(reason); });
    for (const std::vector<float>& own : weights)
      CHECK(own == synchronous_sgd(group, static_cast<uint32_t>(workers), kClocks));
  }
}
