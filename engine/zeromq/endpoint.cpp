#include "ringside/zeromq/endpoint.h"

#include <fmt/format.h>
#include <zmq.h>

#include <map>
#include <random>

#include "directory.h"
#include "ringside/base/clock.h"
#include "ringside/base/text.h"
#include "socket.h"

namespace ringside::inline ps {
namespace {
constexpr NodeId kSchedulerId = 0;
constexpr int64_t kMs = 1'000'000;              // ns
constexpr int64_t kHelloEvery = 20 * kMs;       // until it is answered
constexpr int64_t kAskEvery = 10 * kMs;         // where a node is
constexpr int64_t kForgetAfter = 10'000 * kMs;  // a connection on which nothing was sent

uint64_t random_number() {
  std::random_device device;
  return (uint64_t(device()) << 32) | device();
}

// What the first 32 bytes say, before anything else of them is believed.
struct Head {
  uint32_t magic = 0;
  uint16_t version = 0, type = 0;
  uint64_t world = 0;
  NodeId from = 0, to = 0;
};
std::optional<Head> head_of(const Bytes& bytes) {
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  Head head;
  Reader reader(bytes);
  reader(head.magic, head.version, head.type, head.world, head.from, head.to);
  if (head.magic != kFrameMagic) return std::nullopt;
  return head;
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

struct ZeromqEndpoint::State {
  State(const ZeromqContext& shared, ZeromqOptions chosen)
      : context(shared), options(std::move(chosen)), inbox(context, ZMQ_ROUTER, options) {
    for (const char* everywhere : {"tcp://*", "tcp://0.0.0.0"})
      if (options.listen.starts_with(everywhere))
        throw UsageError("{} is no address that others can be told: name an interface, like tcp://10.0.0.5:*",
                         as_typed(options.listen));
    address = inbox.bind(options.listen);
    if (is_scheduler()) return;
    scheduler.emplace(context, ZMQ_DEALER, options);
    scheduler->connect(options.scheduler);
    greet();
  }

  bool is_scheduler() const { return options.scheduler.empty(); }

  // Until the scheduler has answered. Another node may have drawn the same number: then another one is drawn.
  void greet() {
    const int64_t end = ringside::now_ns() + int64_t(options.greeting_s * 1e9);
    refused = true;  // it has no number yet
    for (int64_t said_ns = 0; !welcome;) {
      const int64_t now = ringside::now_ns();
      if (now >= end)
        throw Error(
            ExitCode::kTimeout,
            fmt::format("no parameter server's scheduler answers at {} within {} s: is it running there?",
                        as_typed(options.scheduler), options.greeting_s));
      if (refused) {
        life = random_number();
        id = static_cast<NodeId>(life % ~NodeId{0}) + 1;
        refused = false;
        said_ns = 0;
      }
      if (now - said_ns >= kHelloEvery) {
        say_hello();
        said_ns = now;
      }
      std::optional<Packet> early;  // nobody knows this node yet
      if (!take(early)) wait(now + kHelloEvery / 4);
    }
  }

  void say_hello() {
    const Hello hello{life, {address.begin(), address.end()}};
    scheduler->send(sealed(Greeting::kHello, hello, kSchedulerId));
  }

  bool send(NodeId to, const Bytes& packet) {
    if (to == kSchedulerId && scheduler) return scheduler->send(packet);
    if (is_scheduler() && !links.contains(to) && directory.knows(to)) connect(to, directory.address_of(to));
    const auto found = links.find(to);
    if (found == links.end()) {
      if (!is_scheduler()) ask_where(to);
      return false;
    }
    found->second.used_ns = ringside::now_ns();
    return found->second.socket.send(packet);
  }

  void connect(NodeId node, const std::string& where) {
    const auto found = links.find(node);
    if (found != links.end() && found->second.address == where) return;
    Socket socket(context, ZMQ_DEALER, options);
    try {
      socket.connect(where);
    } catch (const Error&) {  // of another node's making
      ++counts.strangers;
      return;
    }
    links.erase(node);
    links.emplace(node, Link{std::move(socket), where, ringside::now_ns()});
  }

  void ask_where(NodeId node) {
    int64_t& asked = asked_ns[node];
    const int64_t now = ringside::now_ns();
    if (asked != 0 && now - asked < kAskEvery) return;
    asked = now;
    scheduler->send(sealed(Greeting::kWhere, Where{node}, kSchedulerId));
  }

  // A connection to a node that died would try again for ever.
  void forget_silent() {
    const int64_t now = ringside::now_ns();
    if (now - looked_ns < kForgetAfter / 10) return;
    looked_ns = now;
    std::erase_if(links, [&](const auto& entry) { return now - entry.second.used_ns > kForgetAfter; });
    std::erase_if(asked_ns, [&](const auto& entry) { return now - entry.second > kForgetAfter; });
  }

  // One message, if there is one: `packet` where it is for the node.

  bool take(std::optional<Packet>& packet) {
    if (const auto message = scheduler ? scheduler->receive(1) : std::nullopt) {
      if (message->empty())
        ++counts.strangers;
      else
        from_scheduler(message->front());
      return true;
    }
    auto message = inbox.receive(2);  // who, by connection; the frame
    if (!message) return false;
    if (message->empty())
      ++counts.strangers;
    else
      packet = from_anyone(message->front(), std::move(message->back()));
    return true;
  }

  void wait(int64_t until_ns) {
    forget_silent();
    const int64_t left = until_ns - ringside::now_ns();
    if (left <= 0) return;
    constexpr int64_t kMostMs = 1000;
    zmq_pollitem_t items[2] = {{inbox.get(), 0, ZMQ_POLLIN, 0},
                               {scheduler ? scheduler->get() : nullptr, -1, ZMQ_POLLIN, 0}};
    zmq_poll(items, scheduler ? 2 : 1, static_cast<long>(std::min(left / kMs + 1, kMostMs)));
  }

  // A packet for the node. What is not is answered where it has to be, or dropped.
  std::optional<Packet> from_anyone(const Bytes& connection, Bytes bytes) {
    const std::optional<Head> head = head_of(bytes);
    const bool is_greeting = head && head->type >= kFirstGreeting;
    if (is_greeting && is_scheduler()) {
      answer(connection, bytes);
      return std::nullopt;
    }
    // A node may listen where a dead one did: what was for that one is not for this one.
    if (!head || is_greeting || head->to != id) {
      ++counts.strangers;
      return std::nullopt;
    }
    if (is_scheduler() && !directory.knows(head->from))
      reply(connection, sealed(Greeting::kWho, Who{}, head->from));
    ++counts.received;
    counts.received_bytes += int64_t(bytes.size());
    return Packet{head->from, std::move(bytes)};
  }

  void from_scheduler(const Bytes& bytes) try {
    const Frame frame = open(bytes, options.world);
    switch (static_cast<Greeting>(frame.type)) {
      case Greeting::kWelcome: (read_greeting<Welcome>(frame).accepted ? welcome : refused) = true; return;
      case Greeting::kWho: return say_hello();
      case Greeting::kHere: {
        const Here here = read_greeting<Here>(frame);
        if (!here.address.empty() && here.address.size() <= kMostAddress)
          connect(here.node, text_of(here.address));
        return;
      }
      default: ++counts.strangers;
    }
  } catch (const FrameError& error) {
    ++counts.strangers;
    if (error.fault == FrameFault::kVersion || error.fault == FrameFault::kWorld)
      throw GreetingError(error.fault, fmt::format("the scheduler at {} is not of this run: {}. Start all "
                                                   "nodes of a run with one build and the same settings",
                                                   options.scheduler, error.what()));
  }

  // The scheduler's, to a greeting. One of another version or world gets this one's welcome: it shows both.
  void answer(const Bytes& connection, const Bytes& bytes) try {
    reply(connection, directory.answer(bytes, options.world));
  } catch (const FrameError& error) {
    ++counts.strangers;
    if (error.fault == FrameFault::kVersion || error.fault == FrameFault::kWorld)
      reply(connection, Directory::refusal(options.world, head_of(bytes)->from));
  }

  // On the connection that a frame came by; lost where it is gone.
  void reply(const Bytes& connection, const Bytes& frame) {
    if (inbox.send(connection, true)) inbox.send(frame);
  }
  template <typename T>
  Bytes sealed(Greeting kind, const T& greeting, NodeId to) const {
    return seal_greeting(kind, greeting, options.world, id, to);
  }

  struct Link {  // to one node
    Socket socket;
    std::string address;
    int64_t used_ns = 0;
  };

  const ZeromqContext& context;
  const ZeromqOptions options;
  Socket inbox;
  std::optional<Socket> scheduler;  // of all others: to the scheduler's inbox, and its answers
  std::string address;
  NodeId id = kSchedulerId;
  uint64_t life = 0;
  bool welcome = false, refused = false;
  std::map<NodeId, Link> links = {};
  Directory directory = {};  // the scheduler's
  std::map<NodeId, int64_t> asked_ns = {};
  int64_t looked_ns = 0;
  ZeromqCounts counts = {};
};

ZeromqEndpoint::ZeromqEndpoint(const ZeromqContext& context, ZeromqOptions options)
    : state_(std::make_unique<State>(context, std::move(options))) {}
ZeromqEndpoint::~ZeromqEndpoint() = default;

NodeId ZeromqEndpoint::id() const { return state_->id; }
int64_t ZeromqEndpoint::now_ns() const { return ringside::now_ns(); }
const std::string& ZeromqEndpoint::address() const { return state_->address; }
const ZeromqCounts& ZeromqEndpoint::counts() const { return state_->counts; }

void ZeromqEndpoint::send(NodeId to, Bytes packet) {
  if (!state_->send(to, packet)) {
    ++state_->counts.dropped;
    return;
  }
  ++state_->counts.sent;
  state_->counts.sent_bytes += int64_t(packet.size());
}

std::optional<Packet> ZeromqEndpoint::receive(int64_t deadline_ns) {
  for (;;) {
    std::optional<Packet> packet;
    const bool came = state_->take(packet);
    if (packet) return packet;
    if (now_ns() >= deadline_ns) return std::nullopt;
    if (!came) state_->wait(deadline_ns);
  }
}

}  // namespace ringside::inline ps
