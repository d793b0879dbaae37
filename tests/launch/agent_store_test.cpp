// torchrun's store, as LibTorch 1.13 and later ones speak; who else may listen there. The real ones:
// tests/terminal.
#include "ringside/launch/agent_store.h"

#include <catch.h>
#include <sys/socket.h>

#include <atomic>
#include <map>
#include <thread>

#include "check_text.h"
#include "patience.h"
#include "ringside/launch/store.h"
#include "ringside/launch/stream.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr std::chrono::milliseconds kAgentSoon{50};
TimePoint in_time(std::chrono::nanoseconds wait) { return SteadyClock::now() + wait; }

// As much of a TCPStore as is asked for. first: 0 as of 1.13, 1 as of later ones.
class FakeAgent {
 public:
  explicit FakeAgent(int first) : first_(first), thread_([this] { serve(); }) {}
  ~FakeAgent() {
    ends_ = true;
    thread_.join();
  }
  int port() const { return port_of(listening_); }
  std::map<std::string, std::string> values = {};  // before the first connection, or from it

 private:
  struct Over {};  // the connection is

  void serve() {
    while (!ends_) {
      const Descriptor guest = accept_from(listening_, in_time(kAgentSoon));
      if (!guest.open()) continue;
      try {
        if (first_ > 0 && (take<uint8_t>(guest) != 0 || take<uint32_t>(guest) != 0x3C85F7CE)) continue;
        while (!ends_) answer(guest);
      } catch (const Over&) {
      }
    }
  }
  template <typename T>
  T take(const Descriptor& guest) {
    T value{};
    Streamed streamed = Streamed::kLate;
    while (streamed == Streamed::kLate && !ends_)
      streamed = read_stream(guest.number(), &value, sizeof value, in_time(kAgentSoon));
    if (streamed != Streamed::kAll) throw Over();
    return value;
  }
  std::string take_text(const Descriptor& guest) {
    const auto size = take<uint64_t>(guest);
    if (size > 1000) throw Over();
    std::string text;
    while (text.size() < size) text += take<char>(guest);
    return text;
  }
  template <typename T>
  void say(const Descriptor& guest, T value) {
    write_stream(guest.number(), &value, sizeof value, in_time(kPatience));
  }
  void answer(const Descriptor& guest) {
    switch (take<uint8_t>(guest) - first_) {
      case 0: {
        const std::string key = take_text(guest);
        values[key] = take_text(guest);
        return;
      }
      case 2: {
        const std::string& value = values.at(take_text(guest));
        say(guest, uint64_t{value.size()});
        write_stream(guest.number(), value.data(), value.size(), in_time(kPatience));
        return;
      }
      case 4:
      case 5: {
        if (take<uint64_t>(guest) != 1) throw Over();
        if (values.contains(take_text(guest))) say(guest, uint8_t{0});  // else nobody sets it any more
        return;
      }
      case 6:
        return say(guest, int64_t(values.size()));
      default:
        throw Over();
    }
  }

  const int first_;
  std::atomic<bool> ends_{false};
  const Descriptor listening_ = listen_at("127.0.0.1", 0);
  std::thread thread_;  // the last
};

std::string agent_refusal(int port) {
  return message_of<StoreRefusedError>([&] { AgentStore("127.0.0.1", port, in_time(kPatience)); });
}

}  // namespace

TEST_CASE("agent store: a value is set and read in the words of 1.13, and of later ones") {
  for (const int first : {0, 1}) {
    CAPTURE(first);
    FakeAgent store(first);
    AgentStore agent("127.0.0.1", store.port(), in_time(kPatience));
    CHECK(agent.own_address() == "127.0.0.1");
    agent.set("a run/0/address", "10.0.0.7 4711");
    CHECK(agent.get("a run/0/address", in_time(kPatience)) == "10.0.0.7 4711");
    agent.set("long", std::string(600, 'x'));
    CHECK(lacks(message_of<StoreRefusedError>([&] { agent.get("long", in_time(kPatience)); }),
                {"'long' has 600"}) == "");
  }
}

TEST_CASE("agent store: every wait has a deadline, which says what was waited for") {
  for (const int first : {0, 1}) {
    FakeAgent store(first);
    AgentStore agent("127.0.0.1", store.port(), in_time(kPatience));
    CHECK(lacks(message_of<StoreTimeoutError>([&] { agent.get("a run/0/address", in_time(kAgentSoon)); }),
                {"nobody has set 'a run/0/address'"}) == "");
  }
  const int closed = port_of(listen_at("127.0.0.1", 0));
  const Descriptor silent = listen_at("127.0.0.1", 0);
  for (const int port : {closed, port_of(silent)})
    CHECK(lacks(message_of<StoreTimeoutError>([&] { AgentStore("127.0.0.1", port, in_time(kAgentSoon)); }),
                {"127.0.0.1:" + std::to_string(port), "MASTER_PORT"}) == "");
}

TEST_CASE("agent store: who speaks otherwise is refused") {
  for (const std::string answer : {"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", ""}) {
    const Descriptor listening = listen_at("127.0.0.1", 0);
    std::thread stranger([&] {
      for (int guests = answer.empty() ? 2 : 1; guests > 0; --guests) {
        const Descriptor guest = accept_from(listening, in_time(kPatience));
        write_stream(guest.number(), answer.data(), answer.size(), in_time(kPatience));
      }
    });
    CHECK(lacks(agent_refusal(port_of(listening)), {"does not speak as LibTorch's TCPStore"}) == "");
    stranger.join();
  }
}
