// BSP without filters is synchronous SGD, bit for bit: whatever the number of workers, servers and copies,
// the optimizer, and what the network does.
#include <catch.h>

#include "pairwise.h"
#include "toy_training.h"

using namespace ringside;
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

// Each group of keys has a rule of its own: consistency, filters, optimizer, rate.
constexpr uint64_t kGroupKeys = 60;

// Keys 0 to 19 under BSP, 20 to 39 under SSP(2), 40 to 59 under ASP.
Cluster three_groups() {
  Cluster cluster = toy_cluster(4, 3, 1, kGroupKeys);
  cluster.ranges = 2;
  const KeyGroup all = cluster.groups[0];
  cluster.groups = {all, all, all};
  for (uint64_t g = 0; g < 3; ++g) {
    cluster.groups[g].begin = 20 * g;
    cluster.groups[g].end = 20 * (g + 1);
    cluster.groups[g].consistency = static_cast<Consistency>(g);
  }
  cluster.groups[1].staleness = 2;
  return cluster;
}

// A worker that reads keys of one group; worker 0 is slow. What its reads were behind, at most.
int64_t most_stale(size_t group, int64_t& clocks_ahead) {
  const Cluster cluster = three_groups();
  int64_t most = 0;
  SimulatedCluster simulated(cluster, {}, 1, [&](NodeId, uint32_t rank) {
    WorkerTask task{.clocks = 20};
    task.keys = [&, group](int64_t) {
      std::vector<uint64_t> keys;
      for (uint64_t key = cluster.groups[group].begin; key < cluster.groups[group].end; ++key)
        keys.push_back(key);
      return keys;
    };
    task.gradient = [](int64_t, const std::vector<float>& values) {
      return std::vector<float>(values.size(), 1);
    };
    task.compute_ns = [rank](int64_t) { return rank == 0 ? 40'000'000 : 2'000'000; };
    task.on_read = [&](int64_t clock, const Client& client) {
      most = std::max(most, clock - client.oldest());
    };
    return task;
  });
  simulated.network().run(60 * kSecond, [&] { return simulated.worker(kFirstWorker + 1)->clock() == 20; });
  clocks_ahead = 20 - simulated.worker(kFirstWorker)->clock();
  return most;
}

}  // namespace

TEST_CASE("parameter server: BSP has the bits of synchronous SGD, with any nodes and optimizer",
          "[one_thread]") {
  for (const std::vector<size_t>& row : pairwise({4, 4, 3})) {
    const uint32_t workers = std::array{1U, 2U, 3U, 7U}[row[0]], servers = std::array{1U, 2U, 3U, 5U}[row[1]];
    const auto backups = static_cast<uint32_t>(row[2]);
    CAPTURE(workers, servers, backups);
    const Cluster cluster = toy_cluster(workers, servers, backups, kKeys);
    CHECK(train(cluster, {}) == synchronous_sgd(cluster.groups[0], workers, kClocks));
  }
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement) continue;
    Cluster cluster = toy_cluster(3, 3, 1, kKeys);
    cluster.groups[0].optimizer = {.name = spec.name};
    cluster.groups[0].learning_rate = 0.01;
    CAPTURE(spec.name);
    CHECK(train(cluster, {}) == synchronous_sgd(cluster.groups[0], 3, kClocks));
  }
}

TEST_CASE("parameter server: a bad network, a killed server and one that joins change no bit",
          "[one_thread][long]") {
  const NetworkModel bad{.loss = 0.1, .duplication = 0.05, .reordering = 0.2};
  const Cluster cluster = toy_cluster(3, 4, 2, kKeys);
  const std::vector<float> expected = synchronous_sgd(cluster.groups[0], 3, kClocks);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    CHECK(train(cluster, bad, seed) == expected);
  }
  const Cluster one_copy = toy_cluster(3, 4, 1, kKeys);
  const std::vector<float> right = synchronous_sgd(one_copy.groups[0], 3, kClocks);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimulatedCluster simulated(one_copy, {.loss = 0.1, .duplication = 0.05, .reordering = 0.2}, seed,
                               [](NodeId, uint32_t rank) { return toy_task(rank, kClocks, kKeys); });
    simulated.network().crash_at_send(kFirstServer + static_cast<NodeId>(seed % 4),
                                      20 + static_cast<int64_t>(9 * seed));
    simulated.network().at(60'000'000, [&] { simulated.add_server(); });
    CAPTURE(seed);
    REQUIRE(simulated.train(60 * kSecond));
    SimulatedNetwork& network = simulated.network();
    network.run(network.now_ns() + 2 * kSecond, [] { return false; });
    network.run(network.now_ns() + 5 * kSecond, [&] { return simulated.values().has_value(); });
    CHECK(simulated.values() == right);
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

TEST_CASE("parameter server: BSP adds gradients up in the order of ranks, whatever the workers' ids") {
  Cluster cluster = toy_cluster(1, 1, 1, 1);
  cluster.ranges = 1, cluster.groups[0].learning_rate = 1;
  cluster.groups[0].optimizer = {.name = "sgd", .values = {{"weight_decay", 0}}};
  RangeState state(cluster, ranges_of(cluster)[0]);
  state.apply({.index = 1, .members_version = 1, .members = {{5, 2, 0}, {6, 1, 0}, {7, 0, 0}}});
  uint64_t index = 1;
  for (const auto& [worker, value] : {std::pair<NodeId, float>{5, 1}, {6, -1e8F}, {7, 1e8F}})
    state.apply({.index = ++index, .worker = worker, .sequence = 1, .gradient = {true, {}, {value}}});
  CHECK(state.values()[0] == toy_initial(0) - 1);  // (1e8 - 1e8) + 1; the other way (1 - 1e8) + 1e8 = 0
}

TEST_CASE("key groups: a read waits as its own group says, and BSP's keys have SGD's bits") {
  int64_t bsp_ahead = 0, ssp_ahead = 0, asp_ahead = 0;
  CHECK(most_stale(0, bsp_ahead) == 0);
  CHECK(most_stale(1, ssp_ahead) == 2);
  CHECK(most_stale(2, asp_ahead) > 10);
  CHECK(bsp_ahead <= 1);
  CHECK(ssp_ahead <= 3);
  CHECK(asp_ahead > 10);
  Cluster cluster = three_groups();
  SimulatedCluster simulated(cluster, {.loss = 0.1, .duplication = 0.05, .reordering = 0.2}, 1,
                             [](NodeId, uint32_t rank) {
                               WorkerTask task = toy_task(rank, 6, kGroupKeys);
                               task.gradient = [rank](int64_t clock, const std::vector<float>& values) {
                                 return toy_gradient(rank, clock, values, {});
                               };
                               return task;
                             });
  REQUIRE(simulated.train(60 * kSecond));
  const std::vector<float> values = simulated.values().value();
  const std::vector<float> expected = synchronous_sgd(
      {.end = kGroupKeys, .gradient_scale = cluster.groups[0].gradient_scale}, cluster.workers, 6);
  CHECK(std::equal(values.begin(), values.begin() + 20, expected.begin()));
  CHECK(!std::equal(values.begin() + 40, values.end(), expected.begin() + 40));
}

TEST_CASE("key groups: filters and rates are a group's own") {
  Cluster cluster = three_groups();
  cluster.workers = 1;
  cluster.groups[0].learning_rate = 0.25;
  cluster.groups[1].filters.pushed = ValueForm::kInt8;
  cluster.groups[2].learning_rate = 0;
  for (KeyGroup& group : cluster.groups) group.gradient_scale = 1;
  cluster.initial = [](uint64_t) { return 0.0F; };
  SimulatedCluster simulated(cluster, {}, 1, [](NodeId, uint32_t) {
    return WorkerTask{.clocks = 4, .gradient = [](int64_t, const std::vector<float>& values) {
                        std::vector<float> gradient(values.size(), -1);
                        gradient[20] = -0.3F;  // 38.1 steps of 1/127
                        return gradient;
                      }};
  });
  REQUIRE(simulated.train(60 * kSecond));
  const std::vector<float> values = simulated.values().value();
  CHECK(values[0] == Approx(0.25 * 4));
  CHECK(values[20] != Approx(4 * 0.1 * 0.3).epsilon(1e-5));  // some waits at the worker
  CHECK(values[20] == Approx(4 * 0.1 * 0.3).epsilon(0.03));
  CHECK(values[40] == 0);
}
