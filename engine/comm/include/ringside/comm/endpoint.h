// Endpoint: what a node that is a member of no group sees of the others. A parameter server talks through it.
//
// It moves packets and promises little: a packet may be lost, arrive twice or overtake another. What a packet
// means, and what to do about its loss, belongs to the Nodes above. The same Nodes run over every Endpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace ringside::inline comm {

using NodeId = uint32_t;  // one life of a node: who starts again has another number
using Bytes = std::vector<uint8_t>;

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();  // ns, a deadline that does not come

struct Packet {
  NodeId from = 0;
  Bytes bytes = {};
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual NodeId id() const = 0;
  virtual int64_t now_ns() const = 0;              // never goes back; real or simulated
  virtual void send(NodeId to, Bytes packet) = 0;  // does not wait for `to`
  // The next packet from anyone; none where the deadline comes first.
  virtual std::optional<Packet> receive(int64_t deadline_ns) = 0;
};

// Tells of every packet that passes an endpoint.
class SeenEndpoint final : public Endpoint {
 public:
  using Seen = std::function<void(bool sent, NodeId other, const Bytes& packet)>;
  SeenEndpoint(std::unique_ptr<Endpoint> endpoint, Seen seen)
      : endpoint_(std::move(endpoint)), seen_(std::move(seen)) {}
  NodeId id() const override { return endpoint_->id(); }
  int64_t now_ns() const override { return endpoint_->now_ns(); }
  void send(NodeId to, Bytes packet) override {
    seen_(true, to, packet);
    endpoint_->send(to, std::move(packet));
  }
  std::optional<Packet> receive(int64_t deadline_ns) override {
    std::optional<Packet> packet = endpoint_->receive(deadline_ns);
    if (packet) seen_(false, packet->from, packet->bytes);
    return packet;
  }

 private:
  std::unique_ptr<Endpoint> endpoint_;
  Seen seen_;
};

// A state machine behind an Endpoint: it acts on a packet, or when its own deadline has come; it never waits.
class Node {
 public:
  virtual ~Node() = default;
  virtual void receive(const Packet& packet) = 0;
  virtual void tick() = 0;                  // the deadline has come; it may be called early
  virtual int64_t deadline_ns() const = 0;  // kNever: it waits for packets alone
};

// One turn: waits for a packet until the node's deadline or `until_ns`, and lets the node act.
inline void take_turn(Endpoint& endpoint, Node& node, int64_t until_ns = kNever) {
  const int64_t deadline = node.deadline_ns() < until_ns ? node.deadline_ns() : until_ns;
  if (const std::optional<Packet> packet = endpoint.receive(deadline)) return node.receive(*packet);
  if (endpoint.now_ns() >= node.deadline_ns()) node.tick();
}

// Turns on an endpoint that waits, as long as `goes_on` after each one; it is asked every `look_ns` at least.
// A node to which packets come without end has its deadlines all the same. Before one it takes what has
// arrived: a scheduler that stood still must not take those for dead whose heartbeats wait to be read.
template <typename GoesOn>
void run_node(Endpoint& endpoint, Node& node, int64_t look_ns, const GoesOn& goes_on) {
  constexpr int kMostBefore = 64;  // packets before a deadline that has come
  while (goes_on()) {
    if (endpoint.now_ns() >= node.deadline_ns()) {
      for (int i = 0; i < kMostBefore; ++i) {
        const std::optional<Packet> packet = endpoint.receive(endpoint.now_ns());
        if (!packet) break;
        node.receive(*packet);
      }
      node.tick();
    }
    take_turn(endpoint, node, endpoint.now_ns() + look_ns);
  }
}

}  // namespace ringside::inline comm
