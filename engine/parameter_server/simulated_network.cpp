#include "ringside/parameter_server/simulated_network.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "ringside/base/check.h"

namespace ringside {

const char* name_of(NetworkEvent::Kind kind) {
  static const char* const names[] = {"sent", "lost", "cut", "doubled", "delivered", "to nobody", "crashed"};
  return names[static_cast<size_t>(kind)];
}

class SimulatedNetwork::Place final : public Endpoint {
 public:
  Place(SimulatedNetwork& network, NodeId id) : network_(network), id_(id) {}

  NodeId id() const override { return id_; }
  int64_t now_ns() const override { return network_.now_ns_; }
  void send(NodeId to, Bytes packet) override { network_.send(*this, to, std::move(packet)); }
  // One thread cannot wait: what is there now, or nothing.
  std::optional<Packet> receive(int64_t) override { return std::exchange(arrived, std::nullopt); }

  std::optional<Packet> arrived;
  std::unique_ptr<Node> node;
  bool is_up = true;
  int64_t planned_turn_ns = kNever;  // the earliest deadline that stands in the queue
  int64_t link_out_ns = 0;           // until then earlier packets leave

 private:
  SimulatedNetwork& network_;
  NodeId id_;
};

SimulatedNetwork::SimulatedNetwork(NetworkModel model, uint64_t seed)
    : model_(model), random_(seed, "simulated network") {}
SimulatedNetwork::~SimulatedNetwork() = default;

Node& SimulatedNetwork::add(NodeId id, const MakeNode& make) {
  RINGSIDE_CHECK(!sends_.contains(id), "node " << id << " was here before");
  return begin(id, make);
}

Node& SimulatedNetwork::restart(NodeId id, const MakeNode& make) {
  RINGSIDE_CHECK(sends_.contains(id) && !is_up(id), "node " << id << " did not crash");
  crash_at_.erase(id);
  return begin(id, make);
}

Node& SimulatedNetwork::begin(NodeId id, const MakeNode& make) {
  sends_[id] = 0;
  Place& place = *(places_[id] = std::make_unique<Place>(*this, id));
  place.node = make(place);
  plan_turn(place);
  return *place.node;
}

Node* SimulatedNetwork::find(NodeId id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : found->second->node.get();
}

void SimulatedNetwork::crash(NodeId id) {
  const auto found = places_.find(id);
  if (found == places_.end()) return;
  found->second->is_up = false;
  gone_.push_back(std::move(found->second));
  places_.erase(found);
  note(NetworkEvent::Kind::kCrashed, id, id, nullptr);
}

void SimulatedNetwork::crash_at_send(NodeId id, int64_t nth) { crash_at_[id] = nth; }

void SimulatedNetwork::send(Place& from, NodeId to, Bytes bytes) {
  if (!from.is_up) return;
  const int64_t nth = ++sends_[from.id()];
  if (const auto crash_at = crash_at_.find(from.id()); crash_at != crash_at_.end() && nth >= crash_at->second)
    return crash(from.id());
  const auto shared = std::make_shared<const Bytes>(std::move(bytes));
  note(NetworkEvent::Kind::kSent, from.id(), to, shared.get());
  if (is_cut(from.id(), to)) return note(NetworkEvent::Kind::kCut, from.id(), to, shared.get());
  if (random_.uniform() < model_.loss) return note(NetworkEvent::Kind::kLost, from.id(), to, shared.get());
  deliver_later(from, to, shared);
  if (random_.uniform() >= model_.duplication) return;
  note(NetworkEvent::Kind::kDoubled, from.id(), to, shared.get());
  deliver_later(from, to, shared);
}

void SimulatedNetwork::deliver_later(Place& from, NodeId to, const std::shared_ptr<const Bytes>& bytes) {
  const auto drawn = [&](int64_t most) {
    return static_cast<int64_t>(random_.below(static_cast<uint64_t>(most) + 1));
  };
  const int64_t transfer = transfer_ns(bytes->size());
  from.link_out_ns = std::max(from.link_out_ns, now_ns_) + transfer;
  int64_t arrives =
      from.link_out_ns + model_.least_delay_ns + drawn(model_.most_delay_ns - model_.least_delay_ns);
  if (random_.uniform() < model_.reordering) arrives += drawn(model_.held_back_ns);
  int64_t& busy_until = busy_until_ns_[to];
  if (transfer > 0) arrives = busy_until = std::max(arrives, busy_until) + transfer;
  plan({.time_ns = arrives, .from = from.id(), .to = to, .bytes = bytes});
}

int64_t SimulatedNetwork::transfer_ns(size_t bytes) const {
  return model_.bytes_per_s > 0 ? static_cast<int64_t>(static_cast<double>(bytes) / model_.bytes_per_s * 1e9)
                                : 0;
}

bool SimulatedNetwork::is_cut(NodeId from, NodeId to) const {
  return std::any_of(partitions_.begin(), partitions_.end(), [&](const Partition& cut) {
    if (now_ns_ < cut.from_ns || now_ns_ >= cut.until_ns) return false;
    const bool leaves = cut.inside.contains(from) && !cut.inside.contains(to);
    const bool enters = !cut.inside.contains(from) && cut.inside.contains(to);
    return leaves || (enters && !cut.one_way);
  });
}

void SimulatedNetwork::at(int64_t time_ns, std::function<void()> action) {
  plan({.time_ns = std::max(time_ns, now_ns_), .action = std::move(action)});
}

void SimulatedNetwork::plan(Happening happening) {
  happening.order = planned_++;
  happenings_.push(std::move(happening));
}

void SimulatedNetwork::plan_turn(Place& place) {
  const int64_t deadline = std::max(place.node->deadline_ns(), now_ns_);
  if (deadline >= place.planned_turn_ns) return;  // an earlier turn will plan this one
  place.planned_turn_ns = deadline;
  plan({.time_ns = deadline, .to = place.id()});
}

bool SimulatedNetwork::run(int64_t until_ns, const std::function<bool()>& done) {
  while (!done()) {
    if (happenings_.empty()) return false;
    if (happenings_.top().time_ns > until_ns) {
      now_ns_ = std::max(now_ns_, until_ns);
      return false;
    }
    const Happening next = happenings_.top();
    happenings_.pop();
    now_ns_ = next.time_ns;
    ++events_;
    happen(next);
    gone_.clear();
  }
  return true;
}

void SimulatedNetwork::happen(const Happening& happening) {
  if (happening.action) return happening.action();
  const auto found = places_.find(happening.to);
  if (happening.bytes != nullptr) {
    const auto kind = found == places_.end() ? NetworkEvent::Kind::kToNobody : NetworkEvent::Kind::kDelivered;
    note(kind, happening.from, happening.to, happening.bytes.get());
  }
  if (found == places_.end()) return;
  Place& place = *found->second;
  if (happening.bytes != nullptr)
    place.arrived = Packet{happening.from, *happening.bytes};
  else if (happening.time_ns == place.planned_turn_ns)
    place.planned_turn_ns = kNever;
  if (place.arrived || place.node->deadline_ns() <= now_ns_) take_turn(place, *place.node, now_ns_);
  if (place.is_up) plan_turn(place);
}

void SimulatedNetwork::note(NetworkEvent::Kind kind, NodeId from, NodeId to, const Bytes* bytes) {
  const uint64_t crc = bytes == nullptr ? 0 : crc32(0, bytes->data(), static_cast<uInt>(bytes->size()));
  const uint64_t size = bytes == nullptr ? 0 : bytes->size();
  const uint64_t record[] = {
      static_cast<uint64_t>(now_ns_), static_cast<uint64_t>(kind), from, to, size, crc};
  log_.update(record, sizeof record);
  if (observer_) observer_({now_ns_, kind, from, to, bytes});
}

std::string SimulatedNetwork::log_hash() { return log_.hex(); }

}  // namespace ringside
