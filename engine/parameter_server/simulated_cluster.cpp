#include "ringside/parameter_server/simulated_cluster.h"

namespace ringside::inline ps {

SimulatedCluster::SimulatedCluster(Cluster cluster, NetworkModel model, uint64_t seed, MakeTask task,
                                   MakeServer server)
    : cluster_(std::move(cluster)),
      network_(model, seed),
      task_(std::move(task)),
      server_(std::move(server)) {
  network_.add(kScheduler, [&](Endpoint& endpoint) { return make_scheduler(endpoint); });
  for (uint32_t i = 0; i < cluster_.servers; ++i) add_server();
  for (uint32_t rank = 0; rank < cluster_.workers; ++rank) add_worker(rank);
}

void SimulatedCluster::restart_scheduler() {
  network_.restart(kScheduler, [&](Endpoint& endpoint) { return make_scheduler(endpoint); });
}

NodeId SimulatedCluster::add_server() {
  network_.add(next_server_, [&](Endpoint& endpoint) {
    return server_ ? server_(endpoint, cluster_) : std::make_unique<Server>(endpoint, cluster_);
  });
  return next_server_++;
}

NodeId SimulatedCluster::add_worker(uint32_t rank) {
  network_.add(next_worker_, [&](Endpoint& endpoint) {
    return std::make_unique<Worker>(endpoint, cluster_, rank, task_(next_worker_, rank));
  });
  return next_worker_++;
}

std::vector<NodeId> SimulatedCluster::workers() const {
  std::vector<NodeId> living;
  for (NodeId id = kFirstWorker; id < next_worker_; ++id)
    if (network_.is_up(id)) living.push_back(id);
  return living;
}

bool SimulatedCluster::train(int64_t until_ns) {
  NodeId first = kFirstWorker;  // those before it are done, or gone
  return network_.run(until_ns, [&] {
    for (; first < next_worker_; ++first)
      if (const Worker* one = worker(first); one != nullptr && !one->is_done()) return false;
    return true;
  });
}

std::optional<std::vector<float>> SimulatedCluster::values() {
  const Table& table = scheduler().table();
  if (table.version == 0) return std::nullopt;
  std::vector<float> all;
  for (uint32_t range = 0; range < table.chains.size(); ++range) {
    const auto* server = static_cast<Server*>(network_.find(table.chains[range].nodes.front()));
    if (server == nullptr) return std::nullopt;
    const auto replica = server->replicas().find(range);
    if (replica == server->replicas().end() || replica->second.state() == nullptr) return std::nullopt;
    const std::vector<float>& values = replica->second.state()->values();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace ringside::inline ps
