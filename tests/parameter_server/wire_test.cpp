// Frames: what goes in comes out, and whatever else arrives ends in a typed error.
#include <catch.h>
#include <fmt/format.h>

#include "check_text.h"
#include "fuzz.h"
#include "lone_endpoint.h"
#include "ringside/base/clock.h"
#include "ringside/parameter_server/messages.h"
#include "toy_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr uint64_t kWorld = 42;

// One of each message, with something in every field.
std::vector<Message> samples() {
  const KeyedValues values{false, {3, 5, 9}, {1, -2.5F, 0}};
  const std::vector<Member> members = {{100, 0, 0}, {101, 1, -1}};
  const ps::Block list{KeyForm::kList, ValueForm::kFloat16, 0, 77, {3, 5}, {1, 2, 3, 4}};
  const ps::Block signature{KeyForm::kSignature, ValueForm::kInt8, 9, 77, {}, {1, 2, 3}};
  return {Heartbeat{12345, 7, true, false, 3, {{0, 4}, {9, 2}}},
          Lease{12345, 8},
          Table{9, {{4, 1, false, {1, 2, 3}}, {3, 3, true, {2}}}, 5, members},
          Push{2, 17, 16, list},
          Pushed{2, 4, 17},
          Pull{2, 18, 17, list},
          Pulled{2, 18, 15, signature},
          Refused{2, 9},
          Forward{2, 4, {33, 100, 17, 16, values, 0, {}}},
          Forward{2, 4, {34, 0, 0, 0, {}, 6, members}},
          Stored{2, 4, 33},
          Snapshot{2, 4, {0, 0, 1}},
          UnknownKeys{2, 77}};
}

Bytes sample_frame(const Message& message) { return encode(message, kWorld, 1, 2); }

FrameFault fault_of(const Bytes& bytes, uint64_t world = kWorld) {
  try {
    decode(bytes, world);
  } catch (const FrameError& error) {
    return error.fault;
  }
  FAIL("the frame was taken");
  return {};
}

Bytes changed(Bytes bytes, size_t at, uint8_t value, bool mend) {
  bytes.at(at) = value;
  if (mend) mend_checksum(bytes);
  return bytes;
}

// Frames whose checksum is right and whose content no peer would send: a node drops them, or acts on them as
// on a peer's mistake. It neither ends nor hangs nor touches memory that is not its own (asan).
//
// RINGSIDE_FUZZ_SECONDS=3600 parameter_server_test "fuzz:*" is an hour of it; RINGSIDE_FUZZ_SEED begins
// elsewhere.
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

TEST_CASE("wire: each message comes out as it went in, each fault has its name") {
  std::set<std::string> names;
  for (const Message& message : samples()) {
    const Bytes bytes = sample_frame(message);
    const Message again = decode(bytes, kWorld);
    CAPTURE(name_of(message));
    CHECK(again.index() == message.index());
    CHECK(sample_frame(again) == bytes);
    names.insert(name_of(message));
  }
  CHECK(names.size() == std::variant_size_v<Message>);  // samples() has one of each
  const Bytes good = sample_frame(samples()[3]);
  CHECK(fault_of({}) == FrameFault::kTooShort);
  CHECK(fault_of(Bytes(good.begin(), good.begin() + 31)) == FrameFault::kTooShort);
  CHECK(fault_of(changed(good, 0, 'X', true)) == FrameFault::kMagic);
  for (const int version : {kFrameVersion - 1, kFrameVersion + 1})
    CHECK(fault_of(changed(good, 4, uint8_t(version), true)) == FrameFault::kVersion);
  CHECK(fault_of(changed(good, 6, 99, true)) == FrameFault::kType);
  CHECK(fault_of(changed(good, 6, 0, true)) == FrameFault::kType);
  CHECK(fault_of(changed(good, 24, 99, false)) == FrameFault::kLength);
  CHECK(fault_of(changed(good, kHeaderBytes, 99, false)) == FrameFault::kChecksum);
  CHECK(fault_of(good, kWorld + 1) == FrameFault::kWorld);
  // Push: range 4, sequence 8, clock 8; of the block two forms, raw bytes 4, signature 8; then the count of
  // keys.
  CHECK(fault_of(changed(good, kHeaderBytes + 34, 200, true)) == FrameFault::kCount);
  CHECK(fault_of(changed(good, kHeaderBytes + 34, 0, true)) == FrameFault::kTooLong);
  const Bytes heartbeat = sample_frame(samples()[0]);
  CHECK(fault_of(changed(heartbeat, kHeaderBytes + 16, 2, true)) == FrameFault::kValue);
  Bytes table = sample_frame(samples()[2]);
  for (size_t i = 0; i < 4; ++i) table[kHeaderBytes + 8 + i] = 0xff;  // 4,294,967,295 chains
  mend_checksum(table);
  CHECK(fault_of(table) == FrameFault::kCount);
}

TEST_CASE("wire: a range that fits in no frame is refused with the number of ranges that does") {
  Cluster cluster{.groups = {{.name = "weights", .end = uint64_t{1} << 24}}, .ranges = 3};
  CHECK(lacks(message_of<UsageError>([&] { ranges_of(cluster); }),
              {"group weights: 16777216 keys", "ranges=3", "67108864", "ranges=4"}) == "");
  cluster.ranges = 4;
  CHECK(ranges_of(cluster).size() == 4);
  cluster.groups[0].filters.pushed = ValueForm::kFloat64;
  CHECK(lacks(message_of<UsageError>([&] { ranges_of(cluster); }), {"ranges=5"}) == "");
  cluster.groups[0].filters = {};
  cluster.groups[0].optimizer = {.name = "amsgrad"};  // three numbers beside the value
  CHECK(lacks(message_of<UsageError>([&] { ranges_of(cluster); }), {"ranges=5"}) == "");
  cluster.groups[0].optimizer = {.name = "sgd"};
  cluster.workers = 100, cluster.backups = 1;  // under BSP a copy gets what waits for others
  CHECK(lacks(message_of<UsageError>([&] { ranges_of(cluster); }), {"ranges=102"}) == "");
  cluster.groups[0].consistency = Consistency::kSsp;
  CHECK_NOTHROW(ranges_of(cluster));
  const Bytes largest(kMostPayload), larger(kMostPayload + 1);
  CHECK_NOTHROW(open(seal({1, kWorld, 0, 1, largest}), kWorld));
  CHECK_THROWS_AS(seal({1, kWorld, 0, 1, larger}), InvariantError);
}

TEST_CASE("wire: every truncation and every changed byte is refused") {
  for (const Message& message : samples()) {
    const Bytes good = sample_frame(message);
    CAPTURE(name_of(message));
    for (size_t size = 0; size < good.size(); ++size) {
      const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK_THROWS_AS(decode(cut, kWorld), FrameError);
      Bytes mended = cut;
      mend_checksum(mended);
      CHECK_THROWS_AS(decode(mended, kWorld), FrameError);
    }
    for (size_t at = 0; at < good.size(); ++at)
      for (int bit = 0; bit < 8; ++bit)
        CHECK_THROWS_AS(decode(changed(good, at, static_cast<uint8_t>(good[at] ^ (1 << bit)), false), kWorld),
                        FrameError);
  }
}

// RINGSIDE_FUZZ_SECONDS=3600 parameter_server_test "fuzz:*" is an hour of it; RINGSIDE_FUZZ_SEED begins
// elsewhere.
TEST_CASE("fuzz: the reader of frames takes a message or throws a FrameError", "[one_thread]") {
  const int64_t seconds = from_environment("RINGSIDE_FUZZ_SECONDS", 1);
  const auto first = static_cast<uint64_t>(from_environment("RINGSIDE_FUZZ_SEED", 0));
  const int64_t until_ns = now_ns() + seconds * 1'000'000'000;
  const std::vector<Message> messages = samples();
  constexpr int kTaken = -1, kFaults = 10;
  std::map<int, int64_t> outcomes;  // by FrameFault
  for (uint64_t seed = first; now_ns() < until_ns; ++seed) {
    RandomStream random(seed, "frames");
    Bytes bytes = random.below(8) == 0
                      ? random_bytes(random, 200)
                      : mutate(sample_frame(messages[random.below(messages.size())]), random);
    try {
      const Message message = decode(bytes, kWorld);
      ++outcomes[kTaken];
      if (sample_frame(message).size() != bytes.size())
        FAIL("seed " << seed << " comes out longer or shorter");
    } catch (const FrameError& error) {
      ++outcomes[static_cast<int>(error.fault)];
    }
  }
  std::string report;
  for (const auto& [fault, count] : outcomes) report += fmt::format(" {}: {}", fault, count);
  INFO(report);
  CHECK(outcomes.size() == kFaults + 1);
}

TEST_CASE("nodes: tables of nobody are refused, a forward that overtakes another waits for it") {
  const Chain held{.epoch = 1, .birth = 1, .nodes = {1}}, empty{.epoch = 1, .birth = 1};
  CHECK_NOTHROW(check_table({.version = 1, .chains = {held, held}}, 2));
  CHECK_THROWS_AS(check_table({.version = 1, .chains = {held, empty}}, 2), FrameError);
  CHECK_THROWS_AS(check_table({.version = 1, .chains = {held}}, 2), FrameError);
  CHECK_THROWS_AS(check_table({.version = 1, .chains = {held}, .members = {{.from_clock = -2}}}, 1),
                  FrameError);
  CHECK_NOTHROW(check_clock(0));
  CHECK_THROWS_AS(check_clock(-1), FrameError);
  CHECK_THROWS_AS(check_clock(std::numeric_limits<int64_t>::max()), FrameError);  // the next would overflow
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

TEST_CASE("nodes: a lease for a later table is none until that table has come") {
  Cluster cluster = toy_cluster(1, 1, 1, kFuzzedKeys);
  cluster.ranges = 1;
  LoneEndpoint endpoint(kFirstServer);
  Server server(endpoint, cluster);
  const auto take = [&](NodeId from, const Message& message) {
    server.receive({from, encode(message, cluster.world, from, kFirstServer)});
    return server.may_serve();
  };
  const auto table = [](uint64_t version) {
    return Table{.version = version, .chains = {{.epoch = version, .birth = 1, .nodes = {kFirstServer}}}};
  };
  CHECK_FALSE(take(kScheduler, table(1)));
  CHECK_FALSE(take(kFirstServer + 1, Lease{endpoint.now, 1}));  // leases are the scheduler's to give
  CHECK(take(kScheduler, Lease{endpoint.now, 1}));
  CHECK_FALSE(take(kScheduler, Lease{endpoint.now, 2}));
  CHECK_FALSE(take(kScheduler, Lease{endpoint.now, 1}));  // one of before, that came late
  CHECK(take(kScheduler, table(2)));
  CHECK_FALSE(take(kScheduler, Lease{endpoint.now, 3}));
}

namespace {

ps::Block whole_block(size_t values) {
  ps::Block block = block_of_keys(true, {});
  put_values(block, std::vector<float>(values, 1), ValueForm::kFloat32, false);
  return block;
}

}  // namespace

TEST_CASE("nodes: a push without a lease changes nothing, an operation 65 ahead is not kept") {
  Cluster cluster = toy_cluster(1, 1, 1, kFuzzedKeys);
  cluster.ranges = 1;
  LoneEndpoint endpoint(kFirstServer);
  Server server(endpoint, cluster);
  const auto take = [&](NodeId from, const Message& message) {
    server.receive({from, encode(message, cluster.world, from, kFirstServer)});
  };
  const auto state = [&] { return server.replicas().at(0).state(); };
  const Push push{0, 1, 0, whole_block(kFuzzedKeys)};
  take(kScheduler, Table{1, {{.epoch = 1, .birth = 1, .nodes = {kFirstServer}}}, 1, {{kFirstWorker, 0, 0}}});
  CHECK(state()->index() == 1);  // the members
  take(kFirstWorker, push);
  CHECK(state()->index() == 1);
  take(kScheduler, Lease{endpoint.now, 1});
  take(kFirstWorker, push);
  CHECK(state()->index() == 2);
  // Now it is the second of a chain.
  constexpr NodeId kOther = kFirstServer + 1;
  take(kScheduler,
       Table{2, {{.epoch = 2, .birth = 1, .nodes = {kOther, kFirstServer}}}, 1, {{kFirstWorker, 0, 0}}});
  take(kOther, Snapshot{0, 2, state()->save()});
  const auto kept_of = [&](uint64_t index) {
    const KeyedValues gradient{true, {}, std::vector<float>(kFuzzedKeys)};
    take(kOther, Forward{0, 2, {index, kFirstWorker, index, 0, gradient, 0, {}}});
    NodeMemory memory;
    server.replicas().at(0).add_to(memory);
    return memory.buffers;
  };
  CHECK(kept_of(2 + 65) == 0);
  CHECK(kept_of(2 + 64) == 4 * kFuzzedKeys);
}

TEST_CASE(
    "nodes: what a worker read has the newest and the oldest clock of its ranges, whichever came last") {
  Cluster cluster = toy_cluster(1, 1, 1, 2);
  cluster.ranges = 2;
  LoneEndpoint endpoint(kFirstWorker);
  Client client(endpoint, cluster, 0);
  client.pull(0);
  for (const auto& [range, oldest] : {std::pair{0U, 7}, {1U, 3}}) {
    const Pulled pulled{range, 1, oldest, whole_block(1)};
    client.receive({kFirstServer, encode(pulled, cluster.world, kFirstServer, kFirstWorker)});
  }
  CHECK((!client.pulling() && client.newest() == 7 && client.oldest() == 3));
}

TEST_CASE("fuzz: a node that is handed a frame with a wrong content goes on", "[one_thread]") {
  const auto first = static_cast<uint64_t>(from_environment("RINGSIDE_FUZZ_SEED", 0));
  const int64_t until_ns = now_ns() + from_environment("RINGSIDE_FUZZ_SECONDS", 1) * 1'000'000'000;
  for (uint64_t seed = first; now_ns() < until_ns; ++seed) {
    INFO("RINGSIDE_FUZZ_SEED=" << seed);
    CHECK_NOTHROW(Fuzzed(seed).run(60));
  }
}
