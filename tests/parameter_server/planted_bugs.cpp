#include "planted_bugs.h"

#include <cstring>

namespace ringside::testing {
namespace {

using namespace ps;

// A server and its endpoint, with a look at each message on the way in and out.
class Bugged : private Endpoint, public Server {
 public:
  Bugged(Endpoint& endpoint, const Cluster& cluster)
      : Server(static_cast<Endpoint&>(*this), cluster), endpoint_(endpoint), cluster_(cluster) {}

  void receive(const Packet& packet) override {
    Message message = decode(packet.bytes, cluster_.world);
    comes_in(packet.from, message);
    Server::receive({packet.from, encode(message, cluster_.world, packet.from, id())});
    has_come_in(packet.from, message);
  }

 protected:
  virtual void comes_in(NodeId, Message&) {}
  virtual void has_come_in(NodeId, const Message&) {}
  virtual void goes_out(NodeId, Message&) {}

  // The state of a range that this server is the head of; null otherwise.
  const RangeState* headed(uint32_t range) const {
    const auto found = replicas().find(range);
    return found != replicas().end() && found->second.is_head() ? found->second.state() : nullptr;
  }
  void send_at_once(NodeId to, const Message& message) {
    endpoint_.send(to, encode(message, cluster_.world, id(), to));
  }

  Endpoint& endpoint_;
  const Cluster& cluster_;

 private:
  NodeId id() const override { return endpoint_.id(); }
  int64_t now_ns() const override { return endpoint_.now_ns(); }
  void send(NodeId to, Bytes packet) override {
    Message message = decode(packet, cluster_.world);
    goes_out(to, message);
    send_at_once(to, message);
  }
  std::optional<Packet> receive(int64_t deadline_ns) override { return endpoint_.receive(deadline_ns); }
};

struct AcksBeforeTheCopy final : Bugged {
  using Bugged::Bugged;
  void has_come_in(NodeId from, const Message& message) override {
    const auto* push = std::get_if<Push>(&message);
    if (push == nullptr || headed(push->range) == nullptr) return;
    if (headed(push->range)->sequence_of(from) != push->sequence) return;
    send_at_once(from, Pushed{push->range, replicas().at(push->range).epoch(), push->sequence});
  }
};

// Each push that arrives gets a number of its own, so that it looks new.
struct AppliesDuplicates final : Bugged {
  using Bugged::Bugged;
  void comes_in(NodeId from, Message& message) override {
    auto* push = std::get_if<Push>(&message);
    if (push == nullptr || headed(push->range) == nullptr) return;
    const uint64_t number = headed(push->range)->sequence_of(from) + 1;
    told_[{from, push->range, number}] = push->sequence;
    push->sequence = number;
  }
  void goes_out(NodeId to, Message& message) override {
    auto* pushed = std::get_if<Pushed>(&message);
    if (pushed != nullptr && told_.contains({to, pushed->range, pushed->sequence}))
      pushed->sequence = told_[{to, pushed->range, pushed->sequence}];
  }
  std::map<std::tuple<NodeId, uint32_t, uint64_t>, uint64_t> told_;
};

// The values of a snapshot, which lie before an empty list of state, arrive as zeros.
struct ForgetsOnAMove final : Bugged {
  using Bugged::Bugged;
  void goes_out(NodeId, Message& message) override {
    auto* snapshot = std::get_if<Snapshot>(&message);
    if (snapshot == nullptr) return;
    const RangeState* state = replicas().at(snapshot->range).state();
    const size_t bytes = state->values().size() * sizeof(float);
    std::memset(snapshot->state.data() + snapshot->state.size() - sizeof(uint32_t) - bytes, 0, bytes);
  }
};

struct ServesWithoutALease final : Bugged {
  using Bugged::Bugged;
  void comes_in(NodeId, Message& message) override {
    if (auto* lease = std::get_if<Lease>(&message)) *lease = {int64_t{1} << 60, 0};
  }
};

}  // namespace

std::unique_ptr<Server> acks_before_the_copy(Endpoint& endpoint, const Cluster& cluster) {
  return std::make_unique<AcksBeforeTheCopy>(endpoint, cluster);
}
std::unique_ptr<Server> applies_duplicates(Endpoint& endpoint, const Cluster& cluster) {
  return std::make_unique<AppliesDuplicates>(endpoint, cluster);
}
std::unique_ptr<Server> forgets_on_a_move(Endpoint& endpoint, const Cluster& cluster) {
  return std::make_unique<ForgetsOnAMove>(endpoint, cluster);
}
std::unique_ptr<Server> serves_without_a_lease(Endpoint& endpoint, const Cluster& cluster) {
  return std::make_unique<ServesWithoutALease>(endpoint, cluster);
}

}  // namespace ringside::testing
