#include "ringside/parameter_server/survival.h"

#include <algorithm>
#include <set>

namespace ringside::inline ps {
namespace {

constexpr int64_t kMs = 1'000'000;  // ns
constexpr uint32_t kRanges = 8, kWorkers = 2;
constexpr int64_t kSettles = 5'000 * kMs, kTrains = 200 * kMs, kLongest = 10'000 * kMs;

// Key range * workers + rank counts the pushes of that worker to that range.
WorkerTask counting(uint32_t rank) {
  WorkerTask task{.clocks = 100'000};
  task.keys = [rank](int64_t) {
    std::vector<uint64_t> keys;
    for (uint64_t range = 0; range < kRanges; ++range) keys.push_back(range * kWorkers + rank);
    return keys;
  };
  task.gradient = [](int64_t, const std::vector<float>& values) {
    return std::vector<float>(values.size(), -1);
  };
  task.compute_ns = [](int64_t) { return 20 * kMs; };
  return task;
}

// A worker has sent as many pushes as it has done iterations; they are in the values, once each.
void count(SimulatedCluster& cluster, Survival& result) {
  const std::optional<std::vector<float>> values = cluster.values();
  for (const NodeId id : cluster.workers()) {
    const Worker& worker = *cluster.worker(id);
    for (uint32_t range = 0; values && range < kRanges; ++range) {
      const auto held = int64_t((*values)[range * kWorkers + id - kFirstWorker]);
      const int64_t acknowledged = worker.client().acknowledged(range);
      result.acknowledged += acknowledged;
      result.lost += std::max<int64_t>(acknowledged - held, 0);
      result.twice += std::max<int64_t>(held - worker.clock(), 0);
    }
  }
}

}  // namespace

Survival kill_servers(uint32_t servers, uint32_t backups, const std::vector<NodeId>& killed, uint64_t seed) {
  const KeyGroup keys{.end = kRanges * kWorkers, .consistency = Consistency::kAsp, .learning_rate = 1};
  SimulatedCluster cluster(
      {.groups = {keys}, .ranges = kRanges, .backups = backups, .servers = servers, .workers = kWorkers}, {},
      seed, [](NodeId, uint32_t rank) { return counting(rank); });
  SimulatedNetwork& network = cluster.network();
  network.run(kSettles, [&] { return cluster.scheduler().is_settled(); });
  network.run(network.now_ns() + kTrains, [] { return false; });

  for (const NodeId server : killed) network.crash(server);
  const int64_t killed_ns = network.now_ns();
  std::set<size_t> unread;
  const std::vector<Chain>& chains = cluster.scheduler().table().chains;
  for (size_t range = 0; range < chains.size(); ++range)
    if (!network.is_up(chains[range].nodes.front())) unread.insert(range);
  network.observe([&](const NetworkEvent& event) {
    if (event.kind != NetworkEvent::Kind::kSent) return;
    const Message message = decode(*event.bytes, cluster.cluster().world);
    if (const auto* pulled = std::get_if<Pulled>(&message)) unread.erase(pulled->range);
  });
  network.run(killed_ns + kLongest, [&] { return unread.empty(); });

  Survival result{.seconds = double(network.now_ns() - killed_ns) * 1e-9};
  network.run(network.now_ns() + kTrains, [] { return false; });
  count(cluster, result);
  return result;
}

}  // namespace ringside::inline ps
