#include "ringside/parameter_server/stragglers.h"

#include <algorithm>

#include "ringside/base/random.h"

namespace ringside::inline ps {
namespace {

constexpr int64_t kLook = 100'000'000;  // ns between two looks at the loss

Cluster cluster_of(const StragglerConfig& config, uint64_t keys) {
  Cluster cluster{.groups = {{.end = keys,
                              .consistency = config.consistency,
                              .staleness = config.staleness,
                              .optimizer = config.optimizer,
                              .learning_rate = config.learning_rate,
                              .gradient_scale = 1.0F / float(config.workers)}},
                  .ranges = config.servers,
                  .backups = 0,
                  .servers = config.servers,
                  .workers = config.workers};
  // Nobody fails here: few heartbeats.
  cluster.timing = {.heartbeat_ns = 1'000'000'000,
                    .lease_ns = 5'000'000'000,
                    .dead_ns = 6'000'000'000,
                    .give_up_ns = 60'000'000'000,
                    .resend_ns = 2'000'000'000};
  return cluster;
}

void measure_workers(SimulatedCluster& cluster, StragglerResult& result) {
  double waited = 0, computed = 0;
  for (const NodeId id : cluster.workers()) {
    waited += double(cluster.worker(id)->waited_ns());
    computed += double(cluster.worker(id)->computed_ns());
    result.iterations += cluster.worker(id)->clock();
  }
  result.idle = waited / (waited + computed);
}

}  // namespace

int64_t iteration_ns(const StragglerConfig& config, uint32_t rank, int64_t clock) {
  RandomStream random(config.seed, "compute time", rank * 1'000'003 + uint64_t(clock));
  const double straggles = random.uniform() < config.straggling ? config.straggling_factor : 1;
  const double slow = rank == 0 ? config.slow_factor : 1;
  return int64_t(double(config.compute_ns) * straggles * slow);
}

StragglerResult run_stragglers(const StragglerConfig& config, const std::shared_ptr<const Samples>& samples,
                               uint64_t keys) {
  StragglerResult result;
  const auto task = [&](NodeId, uint32_t rank) {
    WorkerTask one = logistic_task(samples, rank, config.workers, config.batch, config.clocks);
    one.compute_ns = [&config, rank](int64_t clock) { return iteration_ns(config, rank, clock); };
    return one;
  };
  SimulatedCluster cluster(cluster_of(config, keys), {.least_delay_ns = 50'000, .most_delay_ns = 100'000},
                           config.seed, task);
  const std::vector<NodeId> workers = cluster.workers();
  const auto one_is_done = [&] {
    return std::ranges::any_of(
        workers, [&](NodeId id) { return cluster.worker(id)->state() == Worker::State::kDone; });
  };
  SimulatedNetwork& network = cluster.network();
  network.run(kNever - 1, [&] { return cluster.scheduler().table().version > 0; });
  const int64_t begin_ns = network.now_ns();
  const auto seconds = [&] { return double(network.now_ns() - begin_ns) / 1e9; };
  for (bool over = false; !over;) {
    over = network.run(network.now_ns() + kLook, one_is_done);
    const std::optional<std::vector<float>> values = cluster.values();
    if (!values) continue;
    result.loss = logistic_loss(*samples, *values);
    result.losses.push_back({seconds(), result.loss});
    if (config.target_loss > 0 && result.loss <= config.target_loss) {
      result.seconds_to_loss = seconds();
      over = true;
    }
  }
  measure_workers(cluster, result);
  result.seconds = seconds();
  return result;
}

}  // namespace ringside::inline ps
