#include "ringside/server_train/serve.h"

#include <atomic>
#include <mutex>

#include "ringside/base/clock.h"
#include "ringside/parameter_server/recording.h"
#include "ringside/parameter_server/thread_network.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::inline server_train {
namespace {

constexpr int64_t kTurnNs = 10'000'000;  // between two looks at whether all is over

class Served {
 public:
  Served(const TrainerConfig& config, const Dataset& dataset, const ServeOptions& options, TraceStore& store,
         const std::string& section)
      : classifier_(config, dataset),
        recording_({.store = &store, .section = section}),
        cluster_(recording_.observed(cluster_of(options))),
        deadline_ns_(now_ns() + options.timeout.count()),
        workers_left_(static_cast<int>(cluster_.workers)),
        values_(classifier_.keys()) {
    const Attributes attributes = {{"servers", options.servers},
                                   {"workers", config.ranks},
                                   {"backups", options.backups},
                                   {"keys", classifier_.keys()},
                                   {"steps", config.steps}};
    recorders_ = store.add_section(section, attributes, nodes());
    recording_.attach(cluster_, recorders_);
  }

  ServeResult run() {
    run_world({.ranks = nodes(), .recorders = recorders_}, [&](World& world) {
      use_one_thread();
      world.make<MemoryHook>(world.recorder());  // outlives every tensor of this rank
      try {
        run_node(world.rank());
      } catch (...) {
        is_over_ = true;
        throw;
      }
    });
    recording_.finish();
    const ServedClassifier::Score score = classifier_.evaluate(values_);
    return {classifier_.parameters_sha256(values_), score.loss, score.accuracy};
  }

 private:
  ps::Cluster cluster_of(const ServeOptions& options) const {
    ps::Cluster cluster = classifier_.cluster();
    cluster.servers = options.servers;
    cluster.backups = options.backups;
    cluster.ranges = options.ranges;
    for (ps::KeyGroup& group : cluster.groups) {
      group.consistency = options.consistency;
      group.staleness = options.staleness;
      group.filters = options.filters;
    }
    // Threads share cores: who computes for long is not dead.
    cluster.timing.lease_ns = options.timeout.count();
    cluster.timing.dead_ns = options.timeout.count() + 1'000'000'000;
    cluster.timing.give_up_ns = cluster.timing.dead_ns;
    return cluster;
  }
  int nodes() const { return static_cast<int>(1 + cluster_.servers + cluster_.workers); }

  // Ranks are in the order of Recording::attach.
  void run_node(int rank) {
    const auto place = static_cast<uint32_t>(rank);
    if (place < cluster_.workers) return run_worker(place);
    if (place < cluster_.workers + cluster_.servers)
      return run_server(ps::kFirstServer + place - cluster_.workers);
    const auto endpoint = connect(ps::kScheduler);
    ps::Scheduler scheduler(*endpoint, cluster_);
    turn_until_over(*endpoint, scheduler);
  }

  void run_worker(uint32_t rank) {
    const auto endpoint = connect(ps::kFirstWorker + rank);
    ps::Worker worker(*endpoint, cluster_, rank, classifier_.task(rank));
    bool counts = true;
    turn_until_over(*endpoint, worker, [&] {
      if (counts && worker.is_done() && --workers_left_ == 0) is_over_ = true;
      counts = counts && !worker.is_done();
    });
  }

  // When all is over, each head gives what it holds.
  void run_server(NodeId id) {
    const auto endpoint = connect(id);
    ps::Server server(*endpoint, cluster_);
    turn_until_over(*endpoint, server);
    const std::lock_guard lock(mutex_);
    for (const auto& [range, replica] : server.replicas()) {
      if (!replica.is_head() || replica.state() == nullptr) continue;
      const std::vector<float>& held = replica.state()->values();
      std::copy(held.begin(), held.end(),
                values_.begin() + static_cast<std::ptrdiff_t>(replica.state()->range().begin));
    }
  }

  std::unique_ptr<Endpoint> connect(NodeId id) { return recording_.recorded(network_.connect(id)); }

  void turn_until_over(
      Endpoint& endpoint, Node& node, const std::function<void()>& after_turn = [] {}) {
    ringside::run_node(endpoint, node, kTurnNs, [&] {
      after_turn();
      if (now_ns() > deadline_ns_)
        throw ErrorOf<ExitCode::kTimeout>("parameter server: the training has not ended in time");
      return !is_over_;
    });
  }

  ServedClassifier classifier_;
  ps::Recording recording_;
  ps::Cluster cluster_;
  int64_t deadline_ns_;
  ThreadNetwork network_;
  std::vector<Recorder*> recorders_;
  std::atomic<int> workers_left_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::vector<float> values_;
};

}  // namespace

ServeResult serve(const TrainerConfig& config, const Dataset& dataset, const ServeOptions& options,
                  TraceStore& store, const std::string& section) {
  const KeepThreadCounts thread_counts;  // its nodes have one thread each
  return Served(config, dataset, options, store, section).run();
}

}  // namespace ringside::inline server_train
