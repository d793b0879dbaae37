#include "ringside/parameter_server/scale.h"

#include <algorithm>
#include <functional>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/parameter_server/simulated_cluster.h"
#include "ringside/parameter_server/stragglers.h"

namespace ringside::inline ps {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000, kLonger = 100'000 * kSecondNs;

class Progress final : public Observer {
 public:
  void read(const ReadDone& read) override {
    if (first_read_ns < 0) first_read_ns = read.time_ns;
  }
  void pushes(const PushBegun& push) override {
    computed_ns += push.time_ns - push.computes_since_ns;
    ++iterations;
  }
  int64_t first_read_ns = -1, computed_ns = 0, iterations = 0;
};

Cluster cluster_of(const ScaleSetup& setup, Progress& progress) {
  Cluster cluster{.groups = {{.end = setup.keys,
                              .consistency = setup.consistency,
                              .staleness = setup.staleness,
                              .learning_rate = setup.learning_rate,
                              .gradient_scale = 1.0F / float(setup.workers),
                              .filters = setup.filters}},
                  .ranges = setup.ranges_per_server * setup.servers,
                  .backups = setup.backups,
                  .servers = setup.servers,
                  .workers = setup.workers,
                  .observer = &progress};
  // Nobody fails here, and nothing is lost.
  cluster.timing = {.heartbeat_ns = kSecondNs,
                    .lease_ns = 500 * kSecondNs,
                    .dead_ns = 600 * kSecondNs,
                    .give_up_ns = kLonger,
                    .resend_ns = kLonger};
  return cluster;
}

NetworkModel network_of(const ScaleSetup& setup) {
  const auto latency = int64_t(setup.link.latency_s * 1e9);
  return {.least_delay_ns = latency, .most_delay_ns = latency, .bytes_per_s = setup.link.bytes_per_s};
}

WorkerTask task_of(const ScaleSetup& setup, uint32_t rank) {
  const int64_t batch = setup.batch / setup.workers;
  WorkerTask task = logistic_task(setup.samples, rank, setup.workers, batch, setup.most_clocks);
  const StragglerConfig law{.compute_ns = int64_t(double(batch) * setup.sample_s * 1e9),
                            .straggling = setup.straggling,
                            .straggling_factor = setup.straggling_factor,
                            .seed = setup.seed};
  task.compute_ns = [law, rank](int64_t clock) { return iteration_ns(law, rank, clock); };
  return task;
}

class Simulation {
 public:
  explicit Simulation(const ScaleSetup& setup)
      : setup_(setup),
        cluster_(cluster_of(setup, progress_), network_of(setup), setup.seed,
                 [&](NodeId, uint32_t rank) { return task_of(setup, rank); }) {
    for (NodeId id = kFirstServer; id < kFirstServer + setup.servers; ++id) servers_.push_back(id);
    workers_ = cluster_.workers();
    for (const NodeId id : servers_) network().set_handling(id, setup.server);
    for (const NodeId id : workers_) network().set_handling(id, setup.worker);
  }

  ScaleResult run() {
    const int64_t start_ns = now_ns();
    train_until(1);  // the first clock fills caches and queues
    const int64_t measured_since_ns = network().now_ns(), iterations_before = progress_.iterations,
                  computed_before = progress_.computed_ns;
    const std::vector<NodeUse> servers_before = uses(servers_), workers_before = uses(workers_);
    bool is_over = look_at_loss();
    for (int64_t clock = 2; clock == 2 || (!is_over && clock <= setup_.most_clocks); ++clock) {
      train_until(clock);
      is_over = look_at_loss();
    }
    const auto measured_ns = double(network().now_ns() - measured_since_ns);
    result_.iterations_per_s =
        double(progress_.iterations - iterations_before) / double(setup_.workers) / (measured_ns * 1e-9);
    result_.samples_per_s = result_.iterations_per_s * double(used_batch());
    measure_loads(servers_before, workers_before, measured_ns);
    measure_waiting(double(progress_.computed_ns - computed_before), measured_ns);
    result_.real_seconds = double(now_ns() - start_ns) * 1e-9;
    return std::move(result_);
  }

 private:
  SimulatedNetwork& network() { return cluster_.network(); }
  int64_t used_batch() const { return setup_.batch / setup_.workers * setup_.workers; }

  // Until the workers have pushed `clock` iterations each, on average.
  void train_until(int64_t clock) {
    const int64_t wanted = clock * setup_.workers;
    bool is_cancelled = false;
    network().run(kLonger, [&] {
      is_cancelled = setup_.cancelled && setup_.cancelled();
      return is_cancelled || progress_.iterations >= wanted;
    });
    if (is_cancelled) throw CancelledError();
    result_.clocks = clock;
  }

  bool look_at_loss() {
    const std::optional<std::vector<float>> values = cluster_.values();
    result_.seconds = double(network().now_ns() - progress_.first_read_ns) * 1e-9;
    if (!values) return false;
    result_.loss = logistic_loss(*setup_.samples, *values);
    if (setup_.target_loss <= 0 || !(result_.loss <= setup_.target_loss))
      return false;  // NaN reaches nothing
    if (result_.seconds_to_loss < 0) result_.seconds_to_loss = result_.seconds;
    return true;
  }

  std::vector<NodeUse> uses(const std::vector<NodeId>& nodes) {
    std::vector<NodeUse> all;
    for (const NodeId id : nodes) all.push_back(network().use_of(id));
    return all;
  }

  void measure_loads(const std::vector<NodeUse>& servers_before, const std::vector<NodeUse>& workers_before,
                     double measured_ns) {
    const auto add = [&](const std::string& role, const std::vector<NodeId>& nodes,
                         const std::vector<NodeUse>& before) {
      double processor = 0, in = 0, out = 0;
      for (size_t i = 0; i < nodes.size(); ++i) {
        const NodeUse use = network().use_of(nodes[i]);
        const auto share = [&](int64_t NodeUse::*busy) {
          return double(use.*busy - before[i].*busy) / measured_ns;
        };
        processor = std::max(processor, share(&NodeUse::processor_ns));
        in = std::max(in, share(&NodeUse::link_in_ns));
        out = std::max(out, share(&NodeUse::link_out_ns));
        result_.packets += use.packets_out;
        result_.bytes += use.bytes_out;
      }
      result_.loads.push_back({role + " processor", processor});
      result_.loads.push_back({role + " link in", in});
      result_.loads.push_back({role + " link out", out});
    };
    add("server", servers_, servers_before);
    add("worker", workers_, workers_before);
    result_.events = network().events();
  }

  // An iteration counts where it ends, as in iterations_per_s.
  void measure_waiting(double computed_ns, double measured_ns) {
    const double computing = computed_ns / (measured_ns * double(setup_.workers));
    result_.waiting = std::max(0.0, 1 - computing);
    result_.loads.push_back({"worker computing", 1 - result_.waiting});
    std::ranges::stable_sort(result_.loads, std::greater(), &ResourceLoad::load);
  }

  const ScaleSetup& setup_;
  Progress progress_;
  SimulatedCluster cluster_;
  std::vector<NodeId> servers_, workers_;
  ScaleResult result_;
};

}  // namespace

void check_scale(const ScaleSetup& setup) {
  if (setup.samples == nullptr || setup.samples->size() < setup.workers || setup.batch < setup.workers)
    throw UsageError(
        "{} workers need as many samples, and an iteration of as many: there are {}, and batch={}",
        setup.workers, setup.samples == nullptr ? 0 : setup.samples->size(), setup.batch);
  if (setup.servers >= kFirstWorker - kFirstServer)
    throw UsageError("servers={}: at most {}", setup.servers, kFirstWorker - kFirstServer - 1);
}

ScaleResult simulate_scale(const ScaleSetup& setup) {
  check_scale(setup);
  return Simulation(setup).run();
}

}  // namespace ringside::inline ps
