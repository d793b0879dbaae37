#include "chaos_run.h"
#include "event_log.h"

namespace ringside::testing {

using namespace ps;

namespace {

// In the order of NetworkEvent::Kind.
constexpr const char* kKinds[] = {"sent", "lost", "cut", "doubled", "delivered", "to nobody", "crashed"};

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

}  // namespace

// ---------------------------------------------------------------- what must be true

void ChaosRun::look_at(const NetworkEvent& event) {
  if (chaos_.prints)
    fmt::print("{:>12.6f} ms  {:<9}  {:>4} -> {:<4}  {}\n", static_cast<double>(event.time_ns) / 1e6,
               kKinds[static_cast<size_t>(event.kind)], event.from, event.to,
               event.bytes == nullptr ? "" : describe(*event.bytes, cluster_.world));
  const bool arrives = event.kind == NetworkEvent::Kind::kDelivered;
  if (event.bytes == nullptr || (!arrives && event.kind != NetworkEvent::Kind::kSent)) return;
  const Frame frame = open(*event.bytes, cluster_.world);
  const bool to_server =
      event.to >= kFirstServer && event.to < kFirstWorker;  // a worker's names itself alone
  if (to_server && frame.type == Message(Table{}).index() + 1)
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
void ChaosRun::look_at_members(const std::vector<Member>& members) {
  std::set<NodeId> here;
  for (const Member& member : members) here.insert(member.worker);
  for (const auto& [worker, rank] : ranks_)
    if (rank < cluster_.workers && !here.contains(worker)) was_away_.insert(rank);
}

void ChaosRun::look_at_read(NodeId worker, int64_t clock, const Client& client) {
  ++result_.reads;
  const KeyGroup& group = cluster_.groups[0];
  for (uint32_t range = 0; range < kChaosRanges; ++range) {
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
void ChaosRun::look_at_end() {
  const std::optional<std::vector<float>> values = simulated_->values();
  if (!values) return wrong("a range has no head at the end");
  std::set<uint32_t> lost;
  for (const RangeLoss& loss : result_.losses) lost.insert(loss.range);
  for (const auto& [worker, rank] : ranks_) {
    const bool lives = simulated_->network().is_up(worker);
    for (uint32_t range = 0; range < kChaosRanges; ++range) {
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

ChaosResult ChaosRun::run() {
  simulated_ = std::make_unique<SimulatedCluster>(
      cluster_, model(), chaos_.seed, [this](NodeId worker, uint32_t rank) { return task(worker, rank); },
      chaos_.server);
  simulated_->network().observe([this](const NetworkEvent& event) { look_at(event); });
  EventLog log(simulated_->network());
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
  result_.log_hash = log.hex();
  return result_;
}

ChaosResult run_chaos(const Chaos& chaos) { return ChaosRun(chaos).run(); }

std::string replay_command(const Chaos& chaos) {
  return fmt::format(
      "RINGSIDE_PS_TROUBLE={} RINGSIDE_PS_SEED={} build/release/bin/parameter_server_test replay",
      static_cast<int>(chaos.trouble), chaos.seed);
}

}  // namespace ringside::testing
