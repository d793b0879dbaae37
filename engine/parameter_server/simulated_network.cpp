#include "ringside/parameter_server/simulated_network.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "ringside/base/check.h"

namespace ringside::inline ps {

class SimulatedNetwork::Place final : public Endpoint {
 public:
  Place(SimulatedNetwork& network, NodeId id, uint64_t nth_life)
      : life(nth_life), network_(network), id_(id) {}

  NodeId id() const override { return id_; }
  int64_t now_ns() const override { return network_.now_ns(); }
  void send(NodeId to, Bytes packet) override { network_.send(*this, to, std::move(packet)); }
  // One thread cannot wait: what is there now, or nothing.
  std::optional<Packet> receive(int64_t) override { return std::exchange(arrived, std::nullopt); }

  int64_t handling_ns(size_t bytes) const {
    return int64_t(handling.receive_ns + handling.byte_ns * double(bytes));
  }

  struct Waiting {
    InFlight packet;
    int64_t ready_ns = 0;  // its last byte is here
  };
  const uint64_t life;
  bool is_up = true;
  std::optional<Packet> arrived;
  std::unique_ptr<Node> node;
  int64_t planned_turn_ns = kNever;  // the earliest deadline that stands in the queue
  Handling handling = {};
  std::deque<Waiting> waiting;  // for the processor; the first is being handled where is_handling
  bool is_handling = false;
  int64_t processor_ns = 0, link_in_ns = 0, link_out_ns = 0;  // free from then on

 private:
  SimulatedNetwork& network_;
  NodeId id_;
};

SimulatedNetwork::SimulatedNetwork(NetworkModel model, uint64_t seed)
    : model_(model), random_(seed, "simulated network") {}
SimulatedNetwork::~SimulatedNetwork() = default;

// ---------------------------------------------------------------- nodes come and go

Node& SimulatedNetwork::add(NodeId id, const MakeNode& make) {
  RINGSIDE_CHECK(!accounts_.contains(id), "node " << id << " was here before");
  return begin(id, make);
}

Node& SimulatedNetwork::restart(NodeId id, const MakeNode& make) {
  RINGSIDE_CHECK(accounts_.contains(id) && !is_up(id), "node " << id << " did not crash");
  return begin(id, make);
}

Node& SimulatedNetwork::begin(NodeId id, const MakeNode& make) {
  accounts_[id] = {};
  Place& place = *(places_[id] = std::make_unique<Place>(*this, id, ++lives_));
  place.node = make(place);
  plan_turn(place, place.node->deadline_ns());
  return *place.node;
}

Node* SimulatedNetwork::find(NodeId id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : found->second->node.get();
}

NodeUse SimulatedNetwork::use_of(NodeId id) const {
  const auto found = accounts_.find(id);
  return found == accounts_.end() ? NodeUse() : found->second.use;
}

void SimulatedNetwork::set_handling(NodeId id, Handling handling) { places_.at(id)->handling = handling; }

void SimulatedNetwork::crash(NodeId id) {
  const auto found = places_.find(id);
  if (found == places_.end()) return;
  gone_.push_back(std::move(found->second));
  places_.erase(found);
  gone_.back()->is_up = false;
  for (const Place::Waiting& one : gone_.back()->waiting) note(NetworkEvent::Kind::kToNobody, one.packet);
  note(NetworkEvent::Kind::kCrashed, {.from = id, .to = id});
}

// ---------------------------------------------------------------- a packet leaves

void SimulatedNetwork::send(Place& from, NodeId to, Bytes bytes) {
  if (!from.is_up) return;
  Account& account = accounts_[from.id()];
  if (++account.use.packets_out == account.crash_at) return crash(from.id());
  account.use.bytes_out += int64_t(bytes.size());
  const InFlight packet{from.id(), to, ++packets_, now_ns(), std::make_shared<Bytes>(std::move(bytes))};
  note(NetworkEvent::Kind::kSent, packet);
  if (is_cut(from.id(), to)) return note(NetworkEvent::Kind::kCut, packet);
  if (random_.uniform() < model_.loss) return note(NetworkEvent::Kind::kLost, packet);
  deliver_later(from, packet);
  if (random_.uniform() >= model_.duplication) return;
  note(NetworkEvent::Kind::kDoubled, packet);
  deliver_later(from, packet);
}

void SimulatedNetwork::deliver_later(Place& from, const InFlight& packet) {
  const auto drawn = [&](int64_t most) { return int64_t(random_.below(uint64_t(most) + 1)); };
  NodeUse& use = accounts_[packet.from].use;
  const auto handling = int64_t(from.handling.send_ns + from.handling.byte_ns * double(packet.bytes->size()));
  if (handling > 0) from.processor_ns = std::max(from.processor_ns, now_ns()) + handling;
  const int64_t transfer = transfer_ns(packet.bytes->size());
  const int64_t handed_over = handling > 0 ? from.processor_ns : now_ns();
  from.link_out_ns = std::max(from.link_out_ns, handed_over) + transfer;
  use.processor_ns += handling;
  use.link_out_ns += transfer;
  int64_t arrives =
      from.link_out_ns + model_.least_delay_ns + drawn(model_.most_delay_ns - model_.least_delay_ns);
  if (random_.uniform() < model_.reordering) arrives += drawn(model_.held_back_ns);
  happenings_.emplace(arrives, Happening{.kind = Happening::Kind::kArrival, .packet = packet});
}

int64_t SimulatedNetwork::transfer_ns(size_t bytes) const {
  return model_.bytes_per_s > 0 ? int64_t(double(bytes) / model_.bytes_per_s * 1e9) : 0;
}

bool SimulatedNetwork::is_cut(NodeId from, NodeId to) const {
  return std::ranges::any_of(partitions_, [&](const Partition& cut) {
    const bool is_now = cut.from_ns <= now_ns() && now_ns() < cut.until_ns;
    const bool from_inside = cut.inside.contains(from);
    return is_now && from_inside != cut.inside.contains(to) && (from_inside || !cut.one_way);
  });
}

// ---------------------------------------------------------------- a packet arrives

// Its last byte arrives when the link has passed on those before it.
void SimulatedNetwork::arrive(InFlight& packet) {
  const auto found = places_.find(packet.to);
  if (found == places_.end()) return note(NetworkEvent::Kind::kToNobody, packet);
  Place& place = *found->second;
  const int64_t transfer = transfer_ns(packet.bytes->size());
  place.link_in_ns = std::max(place.link_in_ns, now_ns()) + transfer;
  accounts_[packet.to].use.link_in_ns += transfer;
  const bool at_once = place.link_in_ns <= now_ns() && place.processor_ns <= now_ns() &&
                       place.waiting.empty() && place.handling_ns(packet.bytes->size()) == 0;
  if (at_once) return act(place, packet);
  place.waiting.push_back({std::move(packet), place.link_in_ns});
  handle_next(place);
}

void SimulatedNetwork::handle_next(Place& place) {
  if (place.is_handling || place.waiting.empty()) return;
  const Place::Waiting& first = place.waiting.front();
  const int64_t handling = place.handling_ns(first.packet.bytes->size());
  place.processor_ns = std::max(place.processor_ns, first.ready_ns) + handling;
  place.is_handling = true;
  accounts_[place.id()].use.processor_ns += handling;
  happenings_.emplace(
      place.processor_ns,
      Happening{.kind = Happening::Kind::kHandled, .life = place.life, .packet = {.to = place.id()}});
}

void SimulatedNetwork::act(Place& place, InFlight& packet) {
  note(NetworkEvent::Kind::kDelivered, packet);
  NodeUse& use = accounts_[place.id()].use;
  ++use.packets_in;
  use.bytes_in += int64_t(packet.bytes->size());
  const bool is_last = packet.bytes.use_count() == 1;
  place.arrived = Packet{packet.from, is_last ? std::move(*packet.bytes) : *packet.bytes};
  take_turn_at(place, now_ns());
}

void SimulatedNetwork::take_turn_at(Place& place, int64_t time_ns) {
  if (place.arrived || place.node->deadline_ns() <= time_ns) take_turn(place, *place.node, time_ns);
  if (place.is_up) plan_turn(place, place.node->deadline_ns());
}

void SimulatedNetwork::plan_turn(Place& place, int64_t time_ns) {
  const int64_t deadline = std::max(time_ns, now_ns());
  if (deadline >= place.planned_turn_ns) return;  // an earlier turn will plan this one
  place.planned_turn_ns = deadline;
  happenings_.emplace(deadline, Happening{.packet = {.to = place.id()}});
}

// ---------------------------------------------------------------- time

void SimulatedNetwork::at(int64_t time_ns, std::function<void()> action) {
  actions_.push_back(std::move(action));
  happenings_.emplace(std::max(time_ns, now_ns()),
                      Happening{.kind = Happening::Kind::kAction, .action = actions_.size() - 1});
}

bool SimulatedNetwork::run(int64_t until_ns, const std::function<bool()>& done) {
  while (!done()) {
    if (happenings_.empty()) return false;
    const int64_t time_ns = happenings_.begin()->first;
    if (time_ns > until_ns) {
      clock_->set(std::max(now_ns(), until_ns));
      return false;
    }
    clock_->set(time_ns);
    auto next = happenings_.extract(happenings_.begin());
    ++events_;
    happen(next.mapped(), time_ns);
    gone_.clear();
  }
  return true;
}

void SimulatedNetwork::happen(Happening& happening, int64_t time_ns) {
  using Kind = Happening::Kind;
  if (happening.kind == Kind::kAction) return std::exchange(actions_[happening.action], nullptr)();
  if (happening.kind == Kind::kArrival) return arrive(happening.packet);
  const auto found = places_.find(happening.packet.to);
  if (found == places_.end()) return;
  Place& place = *found->second;
  if (happening.kind == Kind::kDeadline) {
    if (time_ns == place.planned_turn_ns) place.planned_turn_ns = kNever;
    return take_turn_at(place, time_ns);
  }
  if (happening.life != place.life) return;  // of one that was here before
  Place::Waiting handled = std::move(place.waiting.front());
  place.waiting.pop_front();
  place.is_handling = false;
  act(place, handled.packet);
  if (place.is_up) handle_next(place);
}

void SimulatedNetwork::note(NetworkEvent::Kind kind, const InFlight& packet) {
  for (const Observer& observer : observers_)
    observer({now_ns(), kind, packet.from, packet.to, packet.bytes.get(), packet.id, packet.sent_ns});
}

}  // namespace ringside::inline ps
