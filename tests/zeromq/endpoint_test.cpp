// Endpoints over ZeroMQ: packets between processes' sockets and between threads, how nodes find one another,
// and what they refuse.
#include "ringside/zeromq/endpoint.h"

#include <catch.h>
#include <zmq.h>

#include "../parameter_server/fuzz.h"
#include "check_text.h"
#include "directory.h"
#include "patience.h"
#include "ringside/base/clock.h"
#include "ringside/base/random.h"
#include "socket.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr uint64_t kWorld = 77;

Bytes packet_of(NodeId from, NodeId to, uint64_t world = kWorld) {
  const Bytes payload = {1, 2, 3};
  return seal({1, world, from, to, payload});
}

ZeromqOptions node_of(const ZeromqEndpoint& scheduler, uint64_t world = kWorld) {
  return {.world = world, .scheduler = scheduler.address()};
}

// A scheduler's endpoint on a thread, so that a node's constructor gets its answer.
class SchedulerThread {
 public:
  explicit SchedulerThread(const ZeromqContext& context, const std::string& listen = "tcp://127.0.0.1:*",
                           uint64_t world = kWorld)
      : endpoint_(context, {.world = world, .listen = listen}), thread_([this] { run(); }) {}
  ~SchedulerThread() { end(); }
  const ZeromqEndpoint& endpoint() const { return endpoint_; }
  void end() {  // from then on the endpoint is the caller's
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    while (!ends_)  // what nodes send comes back to them
      if (const auto packet = endpoint_.receive(now_ns() + 5'000'000))
        endpoint_.send(packet->from, packet_of(kScheduler, packet->from));
  }
  static constexpr NodeId kScheduler = 0;
  ZeromqEndpoint endpoint_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

// Sends again until it comes, as the nodes do.
std::optional<Packet> carried(ZeromqEndpoint& from, ZeromqEndpoint& to) {
  std::optional<Packet> packet;
  eventually([&] {
    from.send(to.id(), packet_of(from.id(), to.id()));
    from.receive(now_ns() + 1'000'000);
    packet = to.receive(now_ns() + 5'000'000);
    return packet.has_value();
  });
  return packet;
}

bool answered(ZeromqEndpoint& node) {
  return eventually([&] {
    node.send(0, packet_of(node.id(), 0));
    const auto packet = node.receive(now_ns() + 5'000'000);
    return packet && packet->from == 0;
  });
}

template <typename Make>
std::pair<ExitCode, std::string> refusal(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {ExitCode::kOk, "no error"};
}

}  // namespace

TEST_CASE("zeromq: nodes that know the scheduler alone find one another, over tcp and between threads") {
  for (const std::string listen : {"tcp://127.0.0.1:*", "inproc://scheduler"}) {
    const ZeromqContext context;
    SchedulerThread scheduler(context, listen);
    ZeromqOptions options = node_of(scheduler.endpoint());
    const auto at = [&](const std::string& name) {
      options.listen = listen.starts_with("inproc") ? "inproc://" + name : listen;
      return options;
    };
    ZeromqEndpoint a(context, at("a")), b(context, at("b"));
    CHECK(a.id() != b.id());
    for (int i = 0; i < 3; ++i) {
      const auto packet = carried(a, b);
      REQUIRE(packet);
      CHECK(packet->from == a.id());
      CHECK(packet->bytes == packet_of(a.id(), b.id()));
    }
    CHECK(carried(b, a).has_value());
    CHECK(answered(a));
    CHECK(a.counts().dropped > 0);  // the first one, to a node that was not known yet
    CHECK(a.counts().strangers == 0);
    const int64_t before = now_ns();
    while (b.receive(0)) continue;  // what carried() sent too often
    CHECK(!b.receive(before + 3'000'000));
    CHECK(now_ns() >= before + 3'000'000);
  }
}

TEST_CASE("zeromq: a port in use, an address that is none, and nobody who answers are typed errors") {
  const ZeromqContext context;
  const SchedulerThread scheduler(context);
  const auto listening_at = [&](const std::string& address) {
    return refusal([&] { ZeromqEndpoint(context, {.world = kWorld, .listen = address}); });
  };
  const std::string taken = scheduler.endpoint().address();
  CHECK(listening_at(taken).first == ExitCode::kMissing);
  CHECK(lacks(listening_at(taken).second, {taken, "is in use", "* for a free one"}) == "");
  CHECK(listening_at("tcp://192.0.2.1:*").first == ExitCode::kMissing);
  for (const char* address : {"", "127.0.0.1", "tcp://127.0.0.1", "http://127.0.0.1:80", "tcp://*:*"})
    CHECK(listening_at(address).first == ExitCode::kUsage);

  ZeromqOptions alone{.world = kWorld, .scheduler = "tcp://127.0.0.1:1", .greeting_s = 0.05};
  const auto [code, message] = refusal([&] { ZeromqEndpoint(context, alone); });
  CHECK(code == ExitCode::kTimeout);
  CHECK(lacks(message, {"tcp://127.0.0.1:1", "within 0.05 s", "is it running there?"}) == "");
}

TEST_CASE("zeromq: a scheduler of another world, or of another version, is told from a good one") {
  const ZeromqContext context;
  const SchedulerThread scheduler(context);
  try {
    ZeromqEndpoint(context, node_of(scheduler.endpoint(), kWorld + 1));
    FAIL("it was welcome");
  } catch (const GreetingError& error) {
    CHECK(error.fault == FrameFault::kWorld);
    CHECK(error.code() == ExitCode::kMismatch);
    CHECK(lacks(error.what(), {scheduler.endpoint().address(), "not of this run", "000000000000004d"}) == "");
  }

  // One of a later version, which answers anything.
  Socket later(context, ZMQ_ROUTER, {});
  const std::string address = later.bind("tcp://127.0.0.1:*");
  std::atomic<bool> ends{false};
  std::thread answers([&] {
    while (!ends) {
      const auto message = later.receive(2);
      if (message && !message->empty()) {
        Bytes welcome = seal_greeting(Greeting::kWelcome, Welcome{true}, kWorld, 0, 5);
        ++welcome[4];
        later.send(message->front(), true);
        later.send(welcome);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto [code, message] =
      refusal([&] { ZeromqEndpoint(context, {.world = kWorld, .scheduler = address}); });
  ends = true;
  answers.join();
  CHECK(code == ExitCode::kMismatch);
  CHECK(lacks(message, {"a peer of version 2: this one has 1"}) == "");
}

TEST_CASE("zeromq: a node of another version is shown this one's, and not taken for a node") {
  const ZeromqContext context;
  SchedulerThread scheduler(context);
  Socket later(context, ZMQ_DEALER, {});
  later.connect(scheduler.endpoint().address());
  const std::string name = "tcp://127.0.0.1:9";
  Bytes hello = seal_greeting(Greeting::kHello, Hello{1, {name.begin(), name.end()}}, kWorld, 5, 0);
  ++hello[4];
  std::optional<std::vector<Bytes>> welcome;
  CHECK(eventually([&] {
    later.send(hello);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return (welcome = later.receive(1)).has_value();
  }));
  CHECK(!read_greeting<Welcome>(open(welcome->at(0), kWorld)).accepted);
  scheduler.end();
  CHECK(scheduler.endpoint().counts().strangers > 0);
}

TEST_CASE("zeromq: a number that another node has is refused, and a greeting that is said again is not") {
  const ZeromqContext context;
  const SchedulerThread scheduler(context);
  Socket node(context, ZMQ_DEALER, {});
  node.connect(scheduler.endpoint().address());
  const auto accepted = [&](uint64_t life) {
    std::optional<std::vector<Bytes>> welcome;
    eventually([&] {
      node.send(seal_greeting(Greeting::kHello, Hello{life, {'x'}}, kWorld, 5, 0));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return (welcome = node.receive(1)).has_value();
    });
    while (node.receive(1)) continue;
    return read_greeting<Welcome>(open(welcome->at(0), kWorld)).accepted;
  };
  CHECK(accepted(1));
  CHECK(accepted(1));
  CHECK(!accepted(2));
}

TEST_CASE("zeromq: what strangers send is dropped and counted, and packets still come") {
  const ZeromqContext context;
  SchedulerThread scheduler(context);
  ZeromqOptions options = node_of(scheduler.endpoint());
  options.most_bytes = 4096;
  ZeromqEndpoint node(context, options), other(context, options);
  Socket stranger(context, ZMQ_DEALER, {});
  stranger.connect(node.address());
  RandomStream random(1, "strangers");
  const auto send = [&](const Bytes& bytes, bool more = false) {
    return eventually([&] { return stranger.send(bytes, more); });
  };
  for (int i = 0; i < 100; ++i) {
    Bytes bytes(random.below(100));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
    CHECK(send(bytes));
  }
  CHECK(send({1}, true));
  CHECK(send({2}));
  CHECK(send(packet_of(9, node.id() + 1)));  // for one who listened here before
  CHECK(send(seal_greeting(Greeting::kHere, Here{9, {'x'}}, kWorld, 0, node.id())));
  CHECK(eventually([&] {
    node.receive(now_ns() + 1'000'000);
    return node.counts().strangers == 103;
  }));
  CHECK(node.counts().received == 0);
  CHECK(send(Bytes(5000)));  // longer than a packet may be: the connection ends, and memory is never taken
  CHECK(carried(other, node).has_value());
  CHECK(node.counts().strangers == 103);
}

TEST_CASE("zeromq: packets to a node that is gone are dropped, and no send waits") {
  const ZeromqContext context;
  const SchedulerThread scheduler(context);
  ZeromqEndpoint a(context, node_of(scheduler.endpoint())), c(context, node_of(scheduler.endpoint()));
  auto b = std::make_unique<ZeromqEndpoint>(context, node_of(scheduler.endpoint()));
  REQUIRE(carried(a, *b));
  const NodeId gone = b->id();
  b.reset();
  const Bytes packet = seal({1, kWorld, a.id(), gone, Bytes(10'000)});
  const int64_t before = a.counts().dropped;
  CHECK(eventually([&] {
    for (int i = 0; i < 100; ++i) a.send(gone, packet);
    return a.counts().dropped > before + 1000;
  }));
  CHECK(carried(a, c).has_value());
}

TEST_CASE("zeromq: a scheduler that starts again at its address hears of its nodes, and they of it") {
  const ZeromqContext context;
  auto scheduler = std::make_unique<SchedulerThread>(context);
  const std::string address = scheduler->endpoint().address();
  ZeromqEndpoint a(context, node_of(scheduler->endpoint())), b(context, node_of(scheduler->endpoint()));
  CHECK(answered(a));
  scheduler.reset();
  CHECK(eventually([&] {  // the port is free once libzmq's thread has closed it
    try {
      scheduler = std::make_unique<SchedulerThread>(context, address);
    } catch (const AddressError&) {
    }
    return scheduler != nullptr;
  }));
  CHECK(answered(a));
  CHECK(answered(b));
  CHECK(carried(a, b).has_value());
}

TEST_CASE("zeromq: a scheduler of another run at the address ends the nodes of the one before") {
  const ZeromqContext context;
  auto scheduler = std::make_unique<SchedulerThread>(context);
  const std::string address = scheduler->endpoint().address();
  ZeromqEndpoint node(context, node_of(scheduler->endpoint()));
  scheduler.reset();
  CHECK(eventually([&] {
    try {
      scheduler = std::make_unique<SchedulerThread>(context, address, kWorld + 1);
    } catch (const AddressError&) {
    }
    return scheduler != nullptr;
  }));
  std::string said;
  CHECK(eventually([&] {
    try {
      node.send(0, packet_of(node.id(), 0));
      node.receive(now_ns() + 5'000'000);
    } catch (const GreetingError& error) {
      said = error.what();
    }
    return !said.empty();
  }));
  CHECK(lacks(said, {address, "not of this run", "a frame of world"}) == "");
}

TEST_CASE("zeromq: greetings that were changed on their way break no scheduler") {
  const ZeromqContext context;
  const SchedulerThread scheduler(context);
  Socket stranger(context, ZMQ_DEALER, {});
  stranger.connect(scheduler.endpoint().address());
  RandomStream random(1, "changed greetings");
  const std::string name = "tcp://127.0.0.1:9";
  const Bytes seeds[] = {seal_greeting(Greeting::kHello, Hello{1, {name.begin(), name.end()}}, kWorld, 5, 0),
                         seal_greeting(Greeting::kWhere, Where{5}, kWorld, 5, 0), packet_of(5, 0)};
  for (int i = 0; i < 3000; ++i) {
    const Bytes bytes = mutate(seeds[i % 3], random);
    CHECK(eventually([&] { return stranger.send(bytes); }));
    while (stranger.receive(1)) continue;
  }
  ZeromqEndpoint a(context, node_of(scheduler.endpoint())), b(context, node_of(scheduler.endpoint()));
  CHECK(carried(a, b).has_value());
  CHECK(answered(a));
}
