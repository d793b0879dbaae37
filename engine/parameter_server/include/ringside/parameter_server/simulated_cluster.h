// A scheduler, servers and workers on a simulated network: node 0, then 1 to S, then 1001 and on.
#pragma once

#include "ringside/parameter_server/scheduler.h"
#include "ringside/parameter_server/simulated_network.h"
#include "ringside/parameter_server/worker.h"

namespace ringside::inline ps {

inline constexpr NodeId kFirstServer = 1, kFirstWorker = 1001;

class SimulatedCluster {
 public:
  using MakeTask = std::function<WorkerTask(NodeId worker, uint32_t rank)>;
  // A server of a kind of its own, such as one with a planted bug; null: as they are.
  using MakeServer = std::function<std::unique_ptr<Server>(Endpoint&, const Cluster&)>;

  SimulatedCluster(Cluster cluster, NetworkModel model, uint64_t seed, MakeTask task, MakeServer server = {});

  NodeId add_server();
  void restart_scheduler();  // after a crash; it finds what it saved
  NodeId add_worker(uint32_t rank);
  // Until all living workers are done; whether they are.
  bool train(int64_t until_ns);

  SimulatedNetwork& network() { return network_; }
  const Cluster& cluster() const { return cluster_; }
  Scheduler& scheduler() { return *static_cast<Scheduler*>(network_.find(kScheduler)); }
  Worker* worker(NodeId id) { return static_cast<Worker*>(network_.find(id)); }  // null: it is gone
  std::vector<NodeId> workers() const;                                           // that live
  // What the heads hold, by key; nothing where a range has no living head.
  std::optional<std::vector<float>> values();

 private:
  struct Disk final : SchedulerDisk {
    void save(const Bytes& bytes) override { saved = bytes; }
    Bytes load() const override { return saved; }
    Bytes saved = {};
  };
  std::unique_ptr<Node> make_scheduler(Endpoint& endpoint) {
    return std::make_unique<Scheduler>(endpoint, cluster_, &disk_);
  }

  Cluster cluster_;
  Disk disk_ = {};
  SimulatedNetwork network_;
  MakeTask task_;
  MakeServer server_;
  NodeId next_server_ = kFirstServer, next_worker_ = kFirstWorker;
};

}  // namespace ringside::inline ps
