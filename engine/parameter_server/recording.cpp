#include "ringside/parameter_server/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ringside/trace/server_rows.h"

namespace ringside::inline ps {
namespace {

double seconds(int64_t ns) { return double(ns) * 1e-9; }

int64_t integer(auto value) { return int64_t(value); }

// What a message says of keys and values.
struct Carried {
  uint32_t range = 0;
  bool is_of_range = false;
  int64_t key_bytes = 0, value_bytes = 0;
};

Carried carried_by(const Message& message) {
  Carried carried;
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.range; }) {
          carried.range = m.range;
          carried.is_of_range = true;
        }
        if constexpr (requires { m.block; }) {
          const bool has_signature = m.block.key_form == KeyForm::kSignature;
          carried.key_bytes = integer((m.block.keys.size() + (has_signature ? 1 : 0)) * sizeof(uint64_t));
          carried.value_bytes = integer(m.block.values.size());
        }
        if constexpr (requires { m.operation; }) {
          carried.key_bytes = integer(m.operation.gradient.keys.size() * sizeof(uint64_t));
          carried.value_bytes = integer(m.operation.gradient.values.size() * sizeof(float));
        }
        if constexpr (requires { m.state; }) carried.value_bytes = integer(m.state.size());
      },
      message);
  return carried;
}

}  // namespace

Recording::Recording(RecordingOptions options) : options_(std::move(options)) {}

Cluster Recording::observed(Cluster cluster) {
  cluster.observer = this;
  return cluster;
}

void Recording::attach(SimulatedCluster& simulated) {
  simulated_ = &simulated;
  const Cluster& cluster = simulated.cluster();
  const int64_t ranks = 1 + integer(cluster.servers) + integer(cluster.workers);
  recorders_ = options_.store->add_section(options_.section, options_.attributes, int(ranks),
                                           simulated.network().clock());
  world_ = cluster.world;
  key_ranges_ = ranges_of(cluster);
  int rank = 0;
  for (uint32_t i = 0; i < cluster.workers; ++i) ranks_[kFirstWorker + i] = rank++;
  for (uint32_t i = 0; i < cluster.servers; ++i) ranks_[kFirstServer + i] = rank++;
  ranks_[kScheduler] = rank++;
  for (const auto& [node, of_section] : ranks_) introduce(node);
  simulated.network().observe([this](const NetworkEvent& event) { look_at(event); });
}

void Recording::introduce(NodeId node) {
  const char* role = node == kScheduler ? "scheduler" : node < kFirstWorker ? "server" : "worker";
  int64_t number = node < kFirstWorker ? integer(node) : integer(node - kFirstWorker);
  if (const Worker* worker = node >= kFirstWorker ? simulated_->worker(node) : nullptr)
    number = integer(worker->rank());
  record_row<ServerNode>(*recorders_[size_t(ranks_.at(node))], {role, integer(node), number});
}

Recorder& Recording::recorder_of(NodeId node) {
  const auto [found, is_new] = ranks_.try_emplace(node, integer(recorders_.size()));
  if (is_new) {
    recorders_.push_back(options_.store->add_rank(options_.section));
    introduce(node);
  }
  return *recorders_[size_t(found->second)];
}

// ---------------------------------------------------------------- what nodes say

void Recording::read(const ReadDone& read) {
  Recorder& recorder = recorder_of(read.worker);
  recorder.span("wait", read.asked_ns, read.time_ns, read.clock);
  record_row<WorkerRead>(recorder,
                         {read.clock, read.oldest, read.staleness(), seconds(read.time_ns - read.asked_ns)});
}

void Recording::pushes(const PushBegun& push) {
  Recorder& recorder = recorder_of(push.worker);
  recorder.span("compute", push.computes_since_ns, push.time_ns, push.clock);
  record_row<WorkerPush>(recorder, {push.clock});
  ++iterations_;
}

// A node that crashed as it sent may still say what it held.
void Recording::holds(const NodeMemory& memory) {
  if (!crashed_.contains(memory.node)) record_memory(memory);
}

// What shrank first, so that no total is higher than the node's was before or is after.
void Recording::record_memory(const NodeMemory& memory) {
  Recorder& recorder = recorder_of(memory.node);
  const NodeMemory before = std::exchange(held_[memory.node], memory);
  const auto own = [](const NodeMemory& one) { return one.parameters + one.optimizer - one.copied; };
  const bool is_server = memory.node < kFirstWorker;
  if (is_server && (memory.copied != before.copied || own(memory) != own(before)))
    record_row<ServerHeld>(recorder, {own(memory), memory.copied});
  struct Kind {
    Category category;
    int64_t before, now;
  };
  std::array kinds = {Kind{Category::kParameters, before.parameters, memory.parameters},
                      Kind{Category::kGradients, before.gradients, memory.gradients},
                      Kind{Category::kOptimizer, before.optimizer, memory.optimizer},
                      Kind{Category::kBuffers, before.buffers, memory.buffers}};
  std::ranges::sort(kinds, {}, [](const Kind& kind) { return kind.now - kind.before; });
  int64_t total = before.total();
  for (const Kind& kind : kinds) {
    if (kind.now == kind.before) continue;
    int64_t& peak = peaks_[memory.node][size_t(kind.category)];
    peak = std::max(peak, kind.now);
    total += kind.now - kind.before;
    recorder.memory({.time_ns = recorder.now(),
                     .delta_bytes = kind.now - kind.before,
                     .live_bytes = kind.now,
                     .peak_bytes = peak,
                     .total_bytes = total,
                     .category = kind.category});
  }
}

void Recording::done(NodeId node) {
  if (ended_.insert(node).second) recorder_of(node).end();
}

void Recording::published(const Table& table) {
  record_members(table);
  for (uint32_t range = 0; range < table.chains.size(); ++range) {
    const Chain& chain = table.chains[range];
    if (std::exchange(epochs_[range], chain.epoch) == chain.epoch) continue;
    const KeyRange& keys = key_ranges_[range];
    record_row<RangeChain>(recorder_of(kScheduler),
                           {integer(range), integer(keys.begin), integer(keys.size()), integer(chain.epoch),
                            ranks_of_nodes(chain.nodes)});
  }
}

void Recording::record_members(const Table& table) {
  if (std::exchange(members_version_, table.members_version) == table.members_version) return;
  std::vector<NodeId> workers;
  for (const Member& member : table.members) workers.push_back(member.worker);
  record_row<WaitedFor>(recorder_of(kScheduler), {ranks_of_nodes(workers)});
}

void Recording::lost(const RangeLoss& loss) {
  record_row<LostRange>(recorder_of(kScheduler),
                        {integer(loss.range), integer(loss.epoch), ranks_of_nodes(loss.chain)});
}

std::string Recording::ranks_of_nodes(const std::vector<NodeId>& nodes) {
  std::vector<int> ranks;
  for (const NodeId node : nodes) ranks.push_back(recorder_of(node).rank());
  return fmt::format("{}", fmt::join(ranks, " "));
}

// ---------------------------------------------------------------- what the network carries

void Recording::look_at(const NetworkEvent& event) {
  using Kind = NetworkEvent::Kind;
  if (event.kind == Kind::kCrashed) {
    recorder_of(event.from).note("crash");
    record_memory({.node = event.from});
    crashed_.insert(event.from);
    if (event.from != kScheduler) done(event.from);  // the scheduler may come back
    return;
  }
  if (event.kind == Kind::kDoubled || (!options_.messages && event.kind != Kind::kSent)) return;
  const Message message = decode(*event.bytes, world_);
  if (event.kind == Kind::kSent) count(event, message);
  if (options_.messages) record(event, message);
}

void Recording::count(const NetworkEvent& event, const Message& message) {
  const Carried carried = carried_by(message);
  Sent& sent = sent_[{event.from, message.index()}];
  ++sent.messages;
  sent.bytes += integer(event.bytes->size());
  sent.key_bytes += carried.key_bytes;
  sent.value_bytes += carried.value_bytes;
}

void Recording::record(const NetworkEvent& event, const Message& message) {
  using Kind = NetworkEvent::Kind;
  const Carried carried = carried_by(message);
  MessageEvent row{.id = event.id, .bytes = integer(event.bytes->size()), .time_sent_ns = event.sent_ns};
  if (carried.is_of_range && carried.range < key_ranges_.size()) {
    row.first_key = integer(key_ranges_[carried.range].begin);
    row.keys = integer(key_ranges_[carried.range].size());
  }
  Recorder& sender = recorder_of(event.from);
  Recorder& receiver = recorder_of(event.to);
  row.tag = sender.name(name_of(message));
  row.from = sender.rank();
  row.to = receiver.rank();
  if (event.kind == Kind::kSent) return sender.message(row);
  if (event.kind != Kind::kDelivered) {
    row.state = MessageState::kLost;
    return sender.message(row);
  }
  row.state = received_.insert(event.id).second ? MessageState::kReceived : MessageState::kReceivedAgain;
  row.time_received_ns = event.time_ns;
  receiver.message(row);
}

void Recording::loss(double loss) { recorders_.front()->scalar("loss", iterations_, loss); }

void Recording::finish() {
  for (const auto& [key, sent] : sent_)
    record_row<SentByKind>(recorder_of(key.first), {name_of_kind(key.second), sent.messages, sent.bytes,
                                                    sent.key_bytes, sent.value_bytes});
}

}  // namespace ringside::inline ps
