#include <numeric>

#include "chaos_run.h"

namespace ringside::testing {

using namespace ps;

Cluster ChaosRun::make_cluster() {
  Cluster cluster{.groups = {{.end = kChaosRanges * kSlots, .learning_rate = 1}}, .ranges = kChaosRanges};
  cluster.backups = chaos_.trouble == Trouble::kNoCopies ? 0 : static_cast<uint32_t>(drawn(1, 2));
  cluster.servers = cluster.backups + static_cast<uint32_t>(drawn(2, 3));
  cluster.workers = static_cast<uint32_t>(drawn(2, 4));
  KeyGroup& group = cluster.groups[0];
  group.consistency = static_cast<Consistency>(random_.below(3));
  group.staleness = group.consistency == Consistency::kSsp ? drawn(0, 3) : 0;
  group.filters.key_caching = one_in(2);
  group.filters.zstd = one_in(2);
  say(fmt::format("{} servers, k = {}, {} workers, {}", cluster.servers, cluster.backups, cluster.workers,
                  group.consistency == Consistency::kBsp   ? "BSP"
                  : group.consistency == Consistency::kAsp ? "ASP"
                                                           : fmt::format("SSP({})", group.staleness)));
  return cluster;
}

NetworkModel ChaosRun::model() {
  if (one_in(8) && chaos_.trouble != Trouble::kKills) return {};
  return {.loss = 0.1, .duplication = 0.05, .reordering = 0.2};
}

WorkerTask ChaosRun::task(NodeId worker, uint32_t rank) {
  ranks_[worker] = rank;
  acknowledged_[worker].resize(kChaosRanges);
  WorkerTask task{.clocks = kChaosClocks};
  task.keys = [this, worker](int64_t) {
    seen_at_pull_[worker] = acknowledged_[worker];  // the pull begins now
    if (!cluster_.groups[0].filters.key_caching) return std::vector<uint64_t>();
    std::vector<uint64_t> keys(kChaosRanges * kSlots);
    std::iota(keys.begin(), keys.end(), 0);
    return keys;
  };
  task.gradient = [rank](int64_t, const std::vector<float>& values) {
    std::vector<float> gradient(values.size());
    for (size_t range = 0; range < kChaosRanges; ++range) gradient[range * kSlots + rank] = -1;
    return gradient;
  };
  task.compute_ns = [worker, seed = chaos_.seed](int64_t clock) {
    RandomStream random(seed, "compute", worker * 1000 + static_cast<uint64_t>(clock));
    return static_cast<int64_t>(random.below(random.below(6) == 0 ? 60 * kMs : 6 * kMs));
  };
  task.on_read = [this, worker](int64_t clock, const Client& client) { look_at_read(worker, clock, client); };
  return task;
}

// ---------------------------------------------------------------- what goes wrong

void ChaosRun::plan() {
  const bool cut_off = chaos_.trouble == Trouble::kNoCopies && one_in(2);
  if (chaos_.trouble == Trouble::kKills || (chaos_.trouble == Trouble::kNoCopies && !cut_off)) plan_kills();
  if (cut_off) plan_long_partition();
  if (chaos_.trouble == Trouble::kKills || chaos_.trouble == Trouble::kPartitions) plan_moves();
  if (chaos_.trouble == Trouble::kPartitions) plan_partitions();
  if (chaos_.trouble == Trouble::kScheduler) plan_scheduler();
  if (chaos_.trouble == Trouble::kWorkers) plan_workers();
}

// Any of the servers, each at any of the packets that it sends, also in the middle of what one packet asks
// for.
void ChaosRun::plan_kills() {
  std::vector<int64_t> order = permutation(cluster_.servers, RandomStream(chaos_.seed, "who is killed"));
  for (uint32_t i = 0; i < std::max(cluster_.backups, 1U); ++i) {
    const NodeId server = kFirstServer + static_cast<NodeId>(order[i]);
    const int64_t nth = drawn(1, 400);
    simulated_->network().crash_at_send(server, nth);
    say(fmt::format("server {} is killed at its packet {}", server, nth));
  }
}

void ChaosRun::plan_moves() {
  if (one_in(2)) {
    const int64_t time = drawn(30, 300) * kMs;
    simulated_->network().at(time, [this] { simulated_->add_server(); });
    say(fmt::format("a server joins at {} ms", time / kMs));
  }
  if (!one_in(3)) return;
  const int64_t time = drawn(30, 300) * kMs;
  const NodeId server = kFirstServer + static_cast<NodeId>(drawn(0, cluster_.servers - 1));
  simulated_->network().at(time, [this, server] {
    if (auto* node = static_cast<Server*>(simulated_->network().find(server))) node->leave();
  });
  say(fmt::format("server {} leaves at {} ms", server, time / kMs));
}

void ChaosRun::plan_partitions() {
  for (int64_t left = drawn(1, 2); left > 0; --left) {
    Partition cut{.from_ns = drawn(20, 400) * kMs, .one_way = one_in(3)};
    cut.until_ns = cut.from_ns + drawn(20, 900) * kMs;
    std::string names;
    const auto draw = [&](NodeId id) {
      if (!one_in(3)) return;
      cut.inside.insert(id);
      names += fmt::format(" {}", id);
    };
    draw(kScheduler);
    for (uint32_t i = 0; i < cluster_.servers; ++i) draw(kFirstServer + i);
    for (uint32_t i = 0; i < cluster_.workers; ++i) draw(kFirstWorker + i);
    say(fmt::format("from {} to {} ms{} are cut off{}", cut.from_ns / kMs, cut.until_ns / kMs, names,
                    cut.one_way ? ", one way" : ""));
    simulated_->network().partition(cut);
  }
}

// A server and a worker see nobody, until the server's ranges are given up. Then they see each other, and do
// not know better.
void ChaosRun::plan_long_partition() {
  const NodeId server = kFirstServer + static_cast<NodeId>(drawn(0, cluster_.servers - 1));
  const int64_t from_ns = drawn(60, 150) * kMs, meet_ns = from_ns + 2'800 * kMs;
  simulated_->network().partition({from_ns, meet_ns, {server}});
  simulated_->network().partition({from_ns, meet_ns, {kFirstWorker}});
  simulated_->network().partition({meet_ns, meet_ns + 500 * kMs, {server, kFirstWorker}});
  say(fmt::format("server {} and worker {} are cut off at {} ms, meet after 2.8 s, see all after 3.3 s",
                  server, kFirstWorker, from_ns / kMs));
}

void ChaosRun::plan_scheduler() {
  const int64_t time = drawn(1, 300) * kMs, until = time + drawn(1, 1500) * kMs;
  simulated_->network().at(time, [this] { simulated_->network().crash(kScheduler); });
  simulated_->network().at(until, [this] { simulated_->restart_scheduler(); });
  say(fmt::format("the scheduler is killed at {} ms and back at {} ms", time / kMs, until / kMs));
  plan_moves();
  if (one_in(2)) plan_kills();
}

void ChaosRun::plan_workers() {
  const NodeId killed = kFirstWorker + static_cast<NodeId>(drawn(0, cluster_.workers - 1));
  const int64_t nth = drawn(1, 150);
  simulated_->network().crash_at_send(killed, nth);
  say(fmt::format("worker {} is killed at its packet {}", killed, nth));
  for (int64_t i = drawn(0, 2); i > 0; --i) {
    const int64_t time = drawn(30, 500) * kMs;
    const auto rank = cluster_.workers + static_cast<uint32_t>(i);
    simulated_->network().at(time, [this, rank] { simulated_->add_worker(rank); });
    say(fmt::format("a worker joins at {} ms", time / kMs));
  }
}

}  // namespace ringside::testing
