// Frames whose checksum is right and whose content no peer would send: a node drops them, or acts on them as
// on a peer's mistake. It neither ends nor hangs nor touches memory that is not its own (asan).
//
// RINGSIDE_FUZZ_S=3600 parameter_server_test "fuzz:*" is an hour of it; RINGSIDE_FUZZ_SEED begins elsewhere.
#include <catch.h>

#include "fuzz.h"
#include "ringside/base/clock.h"
#include "toy_training.h"

using namespace ringside;
using namespace ringside::ps;
using namespace ringside::testing;

namespace {

constexpr uint64_t kFuzzedKeys = 31;

struct SentFrame {
  NodeId from = 0, to = 0;
  Bytes bytes = {};
};

// A training that is under way, whose nodes are handed frames that they were sent before, changed.
class Fuzzed {
 public:
  explicit Fuzzed(uint64_t seed)
      : random_(seed, "frames to nodes"),
        simulated_(cluster(), {.loss = 0.05}, seed,
                   [](NodeId, uint32_t rank) { return toy_task(rank, 1000, kFuzzedKeys, true); }) {
    simulated_.network().keep_no_log();
    simulated_.network().observe([this](const NetworkEvent& event) {
      if (event.kind == NetworkEvent::Kind::kSent && sent_.size() < 400)
        sent_.push_back({event.from, event.to, *event.bytes});
    });
    simulated_.network().crash_at_send(kFirstServer, 150);
    go_on(400);
  }

  void run(int frames) {
    for (int i = 0; i < frames; ++i) {
      const SentFrame& one = sent_[random_.below(sent_.size())];
      Bytes bytes = mutate(one.bytes, random_);
      mend_checksum(bytes);
      if (Node* node = simulated_.network().find(one.to)) node->receive({one.from, std::move(bytes)});
      go_on(static_cast<int64_t>(random_.below(3)));
    }
    go_on(200);
  }

 private:
  Cluster cluster() {
    Cluster cluster = toy_cluster(3, 4, 1, kFuzzedKeys);
    cluster.groups[0].consistency = static_cast<Consistency>(random_.below(3));
    cluster.groups[0].staleness = 2;
    cluster.groups[0].filters.key_caching = random_.below(2) == 0;
    return cluster;
  }
  void go_on(int64_t ms) {
    SimulatedNetwork& network = simulated_.network();
    network.run(network.now_ns() + ms * 1'000'000, [] { return false; });
  }

  RandomStream random_;
  std::vector<SentFrame> sent_ = {};
  SimulatedCluster simulated_;
};

}  // namespace

TEST_CASE("nodes: a table that names nobody for a range, and clocks that nobody has, are refused") {
  const Chain held{.epoch = 1, .birth = 1, .nodes = {1}}, empty{.epoch = 1, .birth = 1};
  CHECK_NOTHROW(check_table({.version = 1, .chains = {held, held}}, 2));
  CHECK_THROWS_AS(check_table({.version = 1, .chains = {held, empty}}, 2), FrameError);
  CHECK_THROWS_AS(check_table({.version = 1, .chains = {held}}, 2), FrameError);
  CHECK_THROWS_AS(check_table({.version = 1, .chains = {held}, .members = {{.from_clock = -2}}}, 1),
                  FrameError);
  CHECK_NOTHROW(check_clock(0));
  CHECK_THROWS_AS(check_clock(-1), FrameError);
  CHECK_THROWS_AS(check_clock(std::numeric_limits<int64_t>::max()), FrameError);  // the next would overflow
}

TEST_CASE("replica: a forward that overtakes another waits for it, and is not asked for again") {
  Cluster cluster = toy_cluster(2, 2, 1, kFuzzedKeys);
  cluster.ranges = 1;
  cluster.groups[0].consistency = Consistency::kAsp;
  cluster.timing.resend_ns = 20 * kSecond;
  cluster.timing.lease_ns = 50 * kSecond;
  cluster.timing.dead_ns = 60 * kSecond;
  // Each tenth packet is held back for up to 5 ms: many a forward overtakes one, and none is lost.
  SimulatedCluster simulated(cluster, {.reordering = 0.1}, 1,
                             [](NodeId, uint32_t rank) { return toy_task(rank, 200, kFuzzedKeys); });
  REQUIRE(simulated.train(19 * kSecond));
}

TEST_CASE("fuzz: a node that is handed a frame with a wrong content goes on", "[one_thread]") {
  const auto first = static_cast<uint64_t>(from_environment("RINGSIDE_FUZZ_SEED", 0));
  const int64_t until_ns = now_ns() + from_environment("RINGSIDE_FUZZ_S", 1) * 1'000'000'000;
  for (uint64_t seed = first; now_ns() < until_ns; ++seed) {
    INFO("RINGSIDE_FUZZ_SEED=" << seed);
    CHECK_NOTHROW(Fuzzed(seed).run(60));
  }
}
