#include "chaos.h"

#include <fmt/format.h>

#include <numeric>

#include "ringside/base/random.h"

namespace ringside::testing {
namespace {

using namespace ps;

constexpr int64_t kMs = 1'000'000;
constexpr uint32_t kRanges = 4, kSlots = 8;  // keys of a range: one for each worker that there may be
constexpr int64_t kChaosClocks = 8;

// "push range 2 sequence 5", "table 3: 2 3 0 | 3 0 ..." with the chains.
std::string describe(const Bytes& bytes, uint64_t world) {
  const Message message = decode(bytes, world);
  std::string text = name_of(message);
  std::visit(
      [&]<typename T>(const T& m) {
        if constexpr (requires { m.range; }) text += fmt::format(" range {}", m.range);
        if constexpr (requires { m.epoch; }) text += fmt::format(" epoch {}", m.epoch);
        if constexpr (requires { m.sequence; }) text += fmt::format(" sequence {}", m.sequence);
        if constexpr (requires { m.index; }) text += fmt::format(" index {}", m.index);
        if constexpr (requires { m.clock; }) text += fmt::format(" clock {}", m.clock);
        if constexpr (std::is_same_v<T, Forward>)
          text += fmt::format(" index {} of {}", m.operation.index, m.operation.worker);
        if constexpr (std::is_same_v<T, Table>) {
          text += fmt::format(" {}, {} members", m.version, m.members.size());
          for (const Chain& chain : m.chains)
            text += fmt::format(" | {}/{}: {}", chain.epoch, chain.birth, fmt::join(chain.nodes, " "));
        }
      },
      message);
  return text;
}

class Run {
 public:
  explicit Run(const Chaos& chaos)
      : chaos_(chaos),
        random_(chaos.seed, "chaos", static_cast<uint64_t>(chaos.trouble)),
        cluster_(make_cluster()) {}

  ChaosResult run();

 private:
  Cluster make_cluster();
  NetworkModel model();
  WorkerTask task(NodeId worker, uint32_t rank);
  void plan();
  void plan_kills();
  void plan_moves();
  void plan_partitions();
  void plan_long_partition();
  void plan_scheduler();
  void plan_workers();
  void look_at(const NetworkEvent& event);
  void look_at_members(const std::vector<Member>& members);
  void look_at_read(NodeId worker, int64_t clock, const Client& client);
  void look_at_end();
  void wrong(const std::string& what) {
    if (result_.wrong.empty()) result_.wrong = what;
  }
  int64_t drawn(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_.below(static_cast<uint64_t>(most - least + 1)));
  }
  bool one_in(uint64_t n) { return random_.below(n) == 0; }
  int64_t now_ns() const { return simulated_->network().now_ns(); }
  void say(const std::string& text) { result_.scenario += text + "; "; }

  const Chaos& chaos_;
  RandomStream random_;
  ChaosResult result_;
  Cluster cluster_;
  std::unique_ptr<SimulatedCluster> simulated_;
  std::map<NodeId, uint32_t> ranks_;                                     // of workers
  std::map<NodeId, std::vector<uint64_t>> acknowledged_, seen_at_pull_;  // by worker and range
  std::set<uint32_t> was_away_;                                          // ranks
  std::map<uint32_t, std::pair<uint64_t, NodeId>> last_ack_;             // by range: epoch, server
};

Cluster Run::make_cluster() {
  Cluster cluster{.groups = {{.end = kRanges * kSlots, .learning_rate = 1}}, .ranges = kRanges};
  cluster.backups = chaos_.trouble == Trouble::kNoCopies ? 0 : static_cast<uint32_t>(drawn(1, 2));
  cluster.servers = cluster.backups + static_cast<uint32_t>(drawn(2, 3));
  cluster.workers = static_cast<uint32_t>(drawn(2, 4));
  KeyGroup& group = cluster.groups[0];
  group.consistency = static_cast<Consistency>(random_.below(3));
  group.staleness = group.consistency == Consistency::kSsp ? drawn(0, 3) : 0;
  group.filters.key_caching = one_in(2);
  group.filters.deflate = one_in(2);
  say(fmt::format("{} servers, k = {}, {} workers, {}", cluster.servers, cluster.backups, cluster.workers,
                  group.consistency == Consistency::kBsp   ? "BSP"
                  : group.consistency == Consistency::kAsp ? "ASP"
                                                           : fmt::format("SSP({})", group.staleness)));
  return cluster;
}

NetworkModel Run::model() {
  if (one_in(8)) return {};
  return {.loss = 0.1, .duplication = 0.05, .reordering = 0.2};
}

WorkerTask Run::task(NodeId worker, uint32_t rank) {
  ranks_[worker] = rank;
  acknowledged_[worker].resize(kRanges);
  WorkerTask task{.clocks = kChaosClocks};
  task.keys = [this, worker](int64_t) {
    seen_at_pull_[worker] = acknowledged_[worker];  // the pull begins now
    if (!cluster_.groups[0].filters.key_caching) return std::vector<uint64_t>();
    std::vector<uint64_t> keys(kRanges * kSlots);
    std::iota(keys.begin(), keys.end(), 0);
    return keys;
  };
  task.gradient = [rank](int64_t, const std::vector<float>& values) {
    std::vector<float> gradient(values.size());
    for (size_t range = 0; range < kRanges; ++range) gradient[range * kSlots + rank] = -1;
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

void Run::plan() {
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
void Run::plan_kills() {
  std::vector<int64_t> order = permutation(cluster_.servers, RandomStream(chaos_.seed, "who is killed"));
  for (uint32_t i = 0; i < std::max(cluster_.backups, 1U); ++i) {
    const NodeId server = kFirstServer + static_cast<NodeId>(order[i]);
    const int64_t nth = drawn(1, 400);
    simulated_->network().crash_at_send(server, nth);
    say(fmt::format("server {} is killed at its packet {}", server, nth));
  }
}

void Run::plan_moves() {
  if (one_in(2)) {
    const int64_t time = drawn(30, 300) * kMs;
    simulated_->network().at(time, [this] { simulated_->add_server(); });
    say(fmt::format("a server joins at {} ms", time / kMs));
  }
  if (!one_in(3)) return;
  const int64_t time = drawn(30, 300) * kMs;
  const NodeId server = kFirstServer + static_cast<NodeId>(drawn(0, cluster_.servers - 1));
  simulated_->network().at(time, [this, server] {
    Node* node = simulated_->network().find(server);
    if (auto* wrapped = dynamic_cast<WrapsServer*>(node)) wrapped->server().leave();
    if (auto* plain = dynamic_cast<Server*>(node)) plain->leave();
  });
  say(fmt::format("server {} leaves at {} ms", server, time / kMs));
}

void Run::plan_partitions() {
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
void Run::plan_long_partition() {
  const NodeId server = kFirstServer + static_cast<NodeId>(drawn(0, cluster_.servers - 1));
  const int64_t from_ns = drawn(60, 150) * kMs, meet_ns = from_ns + 2'800 * kMs;
  simulated_->network().partition({from_ns, meet_ns, {server}});
  simulated_->network().partition({from_ns, meet_ns, {kFirstWorker}});
  simulated_->network().partition({meet_ns, meet_ns + 500 * kMs, {server, kFirstWorker}});
  say(fmt::format("server {} and worker {} are cut off at {} ms, meet after 2.8 s, see all after 3.3 s",
                  server, kFirstWorker, from_ns / kMs));
}

void Run::plan_scheduler() {
  const int64_t time = drawn(1, 300) * kMs, until = time + drawn(1, 1500) * kMs;
  simulated_->network().at(time, [this] { simulated_->network().crash(kScheduler); });
  simulated_->network().at(until, [this] { simulated_->restart_scheduler(); });
  say(fmt::format("the scheduler is killed at {} ms and back at {} ms", time / kMs, until / kMs));
  plan_moves();
  if (one_in(2)) plan_kills();
}

void Run::plan_workers() {
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

// ---------------------------------------------------------------- what must be true

void Run::look_at(const NetworkEvent& event) {
  if (chaos_.prints)
    fmt::print("{:>12.6f} ms  {:<9}  {:>4} -> {:<4}  {}\n", static_cast<double>(event.time_ns) / 1e6,
               name_of(event.kind), event.from, event.to,
               event.bytes == nullptr ? "" : describe(*event.bytes, cluster_.world));
  const bool arrives = event.kind == NetworkEvent::Kind::kDelivered;
  if (event.bytes == nullptr || (!arrives && event.kind != NetworkEvent::Kind::kSent)) return;
  const Frame frame = open(*event.bytes, cluster_.world);
  if (frame.type == Message(Table{}).index() + 1)
    look_at_members(std::get<Table>(decode(*event.bytes, cluster_.world)).members);
  if (frame.type != Message(Pushed{}).index() + 1) return;
  const Pushed ack = std::get<Pushed>(decode(*event.bytes, cluster_.world));
  if (arrives) {
    uint64_t& last = acknowledged_[event.to][ack.range];
    last = std::max(last, ack.sequence);
    return;
  }
  auto& [epoch, server] = last_ack_[ack.range];
  if (ack.epoch < epoch || (ack.epoch == epoch && server != event.from))
    wrong(fmt::format("range {}: server {} acknowledges in epoch {} after server {} did in epoch {}",
                      ack.range, event.from, ack.epoch, server, epoch));
  epoch = ack.epoch;
  server = event.from;
}

// Nobody waits for a worker that counted as dead once: it was silent for long, and catches up.
void Run::look_at_members(const std::vector<Member>& members) {
  std::set<NodeId> here;
  for (const Member& member : members) here.insert(member.worker);
  for (const auto& [worker, rank] : ranks_)
    if (rank < cluster_.workers && !here.contains(worker)) was_away_.insert(rank);
}

void Run::look_at_read(NodeId worker, int64_t clock, const Client& client) {
  ++result_.reads;
  const KeyGroup& group = cluster_.groups[0];
  for (uint32_t range = 0; range < kRanges; ++range) {
    const float* values = &client.values()[range * kSlots];
    const float own = values[ranks_[worker]];
    if (own < static_cast<float>(seen_at_pull_[worker][range]) && chaos_.trouble != Trouble::kNoCopies)
      wrong(fmt::format("range {}: worker {} reads {} of its pushes, {} were acknowledged", range, worker,
                        own, seen_at_pull_[worker][range]));
    if (chaos_.trouble == Trouble::kNoCopies || group.consistency == Consistency::kAsp) continue;
    for (uint32_t rank = 0; rank < cluster_.workers; ++rank) {
      const bool too_old = values[rank] < static_cast<float>(clock - group.staleness);
      // Nobody waits for one who joined before its first push.
      const bool too_new = group.consistency == Consistency::kBsp && ranks_[worker] < cluster_.workers &&
                           values[rank] > static_cast<float>(clock);
      if (was_away_.contains(rank) || was_away_.contains(ranks_[worker]) || (!too_old && !too_new)) continue;
      wrong(fmt::format("range {}: worker {} in iteration {} reads {} pushes of rank {}", range, worker,
                        clock, values[rank], rank));
    }
  }
}

// Of a worker that lives, the values hold each push once. Of one that was killed, perhaps one more than it
// heard of.
void Run::look_at_end() {
  const std::optional<std::vector<float>> values = simulated_->values();
  if (!values) return wrong("a range has no head at the end");
  std::set<uint32_t> lost;
  for (const RangeLoss& loss : result_.losses) lost.insert(loss.range);
  for (const auto& [worker, rank] : ranks_) {
    const bool lives = simulated_->network().is_up(worker);
    for (uint32_t range = 0; range < kRanges; ++range) {
      const auto pushed = static_cast<float>(acknowledged_[worker][range]);
      const float held = (*values)[range * kSlots + rank];
      result_.acknowledged += static_cast<int64_t>(pushed);
      result_.lost_pushes += static_cast<int64_t>(std::max(pushed - held, 0.0F));
      if (held == pushed || (!lives && held == pushed + 1) || (lost.contains(range) && held < pushed))
        continue;
      wrong(fmt::format("range {}: {} pushes of worker {} were acknowledged, the values hold {}", range,
                        pushed, worker, held));
    }
  }
}

ChaosResult Run::run() {
  simulated_ = std::make_unique<SimulatedCluster>(
      cluster_, model(), chaos_.seed, [this](NodeId worker, uint32_t rank) { return task(worker, rank); },
      chaos_.server);
  simulated_->network().observe([this](const NetworkEvent& event) { look_at(event); });
  plan();
  if (chaos_.prints) fmt::print("{}\n", result_.scenario);
  bool done = simulated_->train(30'000 * kMs);
  // Moves and late joiners, too, come to an end.
  if (done) {
    simulated_->network().run(
        std::max(now_ns() + 400 * kMs, (chaos_.trouble == Trouble::kScheduler ? 2'000 : 600) * kMs),
        [] { return false; });
    done = simulated_->train(30'000 * kMs);
    simulated_->network().run(now_ns() + 5'000 * kMs,
                              [&] { return simulated_->scheduler().is_settled() && simulated_->values(); });
  }
  if (!done) wrong("the training has not ended after 30 s");
  result_.losses = simulated_->scheduler().losses();
  if (!result_.losses.empty() && chaos_.trouble != Trouble::kNoCopies)
    wrong(fmt::format("range {} is lost", result_.losses.front().range));
  if (done) look_at_end();
  for (const Chain& chain : simulated_->scheduler().table().chains)
    result_.moves += static_cast<int64_t>(chain.epoch - 1);
  result_.events = simulated_->network().events();
  result_.log_hash = simulated_->network().log_hash();
  return result_;
}

}  // namespace

ChaosResult run_chaos(const Chaos& chaos) { return Run(chaos).run(); }

std::string replay_command(const Chaos& chaos) {
  return fmt::format(
      "RINGSIDE_PS_TROUBLE={} RINGSIDE_PS_SEED={} build/release/bin/parameter_server_test replay",
      static_cast<int>(chaos.trouble), chaos.seed);
}

}  // namespace ringside::testing
