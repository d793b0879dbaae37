// One seed, one log; and each fault that the network was asked for does happen.
#include <catch.h>

#include "event_log.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Answers each number with the next, and sends a first one each millisecond, `count` in all.
class Counter final : public Node {
 public:
  Counter(Endpoint& endpoint, NodeId peer, int count) : endpoint_(endpoint), peer_(peer), left_(count) {}

  void receive(const Packet& packet) override {
    received.push_back(packet.bytes.at(0));
    if (packet.bytes.at(0) % 4 != 3)
      endpoint_.send(packet.from, {static_cast<uint8_t>(packet.bytes.at(0) + 1)});
  }
  void tick() override {
    --left_;
    next_ns_ += 1'000'000;
    endpoint_.send(peer_, {static_cast<uint8_t>(4 * left_)});
  }
  int64_t deadline_ns() const override { return left_ > 0 ? next_ns_ : kNever; }

  std::vector<int> received;

 private:
  Endpoint& endpoint_;
  NodeId peer_;
  int left_;
  int64_t next_ns_ = 1'000'000;
};

struct Pair {
  explicit Pair(NetworkModel model, uint64_t seed = 1) : network(model, seed) {
    network.observe([this](const NetworkEvent& event) { ++seen[event.kind]; });
    for (const NodeId id : {1, 2}) {
      const NodeId peer = 3 - id;
      nodes[id] = static_cast<Counter*>(&network.add(
          id, [&](Endpoint& endpoint) { return std::make_unique<Counter>(endpoint, peer, 50); }));
    }
  }
  void run() {
    network.run(1'000'000'000, [] { return false; });
  }
  std::map<NetworkEvent::Kind, int> seen;
  SimulatedNetwork network;
  std::map<NodeId, Counter*> nodes;
};

using Kind = NetworkEvent::Kind;
const NetworkModel kBad = {.loss = 0.1, .duplication = 0.05, .reordering = 0.2};

}  // namespace

TEST_CASE("simulated network: one seed, one log; packets come, are lost, doubled and overtaken") {
  const auto hash = [](uint64_t seed) {
    Pair pair(kBad, seed);
    EventLog log(pair.network);
    pair.run();
    return log.hex();
  };
  CHECK(hash(1) == hash(1));
  CHECK(hash(1) != hash(2));
  Pair pair({.least_delay_ns = 1000, .most_delay_ns = 1000});
  pair.run();
  CHECK(pair.seen[Kind::kSent] == 2 * 50 * 4);
  CHECK(pair.seen[Kind::kDelivered] == pair.seen[Kind::kSent]);
  CHECK(pair.nodes[2]->received.front() == 4 * 49);
  CHECK(pair.network.now_ns() == 50 * 1'000'000 + 4 * 1000);
  Pair bad(kBad);
  bad.run();
  CHECK(bad.seen[Kind::kLost] > 0);
  CHECK(bad.seen[Kind::kDoubled] > 0);
  CHECK(bad.seen[Kind::kDelivered] ==
        bad.seen[Kind::kSent] - bad.seen[Kind::kLost] + bad.seen[Kind::kDoubled]);
  std::vector<int> firsts;  // node 1 sends 196, 192, 188, ...
  for (const int value : bad.nodes[2]->received)
    if (value % 4 == 0) firsts.push_back(value);
  CHECK(!std::is_sorted(firsts.rbegin(), firsts.rend()));
}

TEST_CASE("simulated network: a partition cuts and heals; what comes to a crashed node reaches nobody") {
  for (const bool one_way : {false, true}) {
    Pair pair({});
    pair.network.partition(
        {.from_ns = 10'000'000, .until_ns = 20'000'000, .inside = {1}, .one_way = one_way});
    pair.run();
    CAPTURE(one_way);
    CHECK(pair.seen[Kind::kCut] > 0);
    CHECK(pair.nodes[2]->received.size() < pair.nodes[1]->received.size() + (one_way ? 0 : 100));
    CHECK(std::count(pair.nodes[2]->received.begin(), pair.nodes[2]->received.end(), 4) ==
          1);  // after it healed
  }
  Pair pair({});
  pair.network.crash_at_send(1, 5);
  pair.run();
  CHECK(!pair.network.is_up(1));
  CHECK(pair.network.use_of(1).packets_out == 5);
  CHECK(pair.seen[Kind::kCrashed] == 1);
  CHECK(pair.seen[Kind::kToNobody] > 0);
}

TEST_CASE("simulated network: packets wait for processor and link, not for one that is held back") {
  // Each of node 2's 100 packets takes 2 ms to take in; those that it sends take 1 ms more.
  Pair pair({.least_delay_ns = 0, .most_delay_ns = 0});
  pair.network.set_handling(2, {.receive_ns = 2e6, .send_ns = 1e6});
  pair.run();
  const NodeUse use = pair.network.use_of(2);
  CHECK(use.packets_in == 50 * 4);
  CHECK(use.packets_out == 50 * 4);
  CHECK(use.processor_ns == 200 * 2'000'000 + 200 * 1'000'000);
  CHECK(pair.network.now_ns() >= use.processor_ns);
  CHECK(pair.network.now_ns() < use.processor_ns + 100'000'000);  // it was busy nearly always
  CHECK(pair.network.use_of(1).processor_ns == 0);
  Pair held({.least_delay_ns = 0,
             .most_delay_ns = 0,
             .bytes_per_s = 1e9,
             .reordering = 0.2,
             .held_back_ns = 500'000'000});
  int64_t early = 0;
  held.network.observe([&](const NetworkEvent& event) {
    if (event.kind == Kind::kDelivered && event.time_ns - event.sent_ns < 1'000'000) ++early;
  });
  held.run();
  CHECK(early > 0.7 * held.seen[Kind::kDelivered]);
  Pair slow({.least_delay_ns = 0, .most_delay_ns = 0, .bytes_per_s = 1000});  // 1 byte: 1 ms out, 1 ms in
  slow.run();
  CHECK(slow.network.now_ns() > 2 * 50 * 4 * 1'000'000 / 2);
}
