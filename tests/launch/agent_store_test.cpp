// torchrun's store, as LibTorch up to 2.1 and from 2.2 on speaks; who else may listen there. The real ones:
// tests/terminal.
#include "ringside/launch/agent_store.h"

#include <catch.h>

#include <thread>

#include "check_text.h"
#include "fake_agent.h"
#include "patience.h"
#include "ringside/launch/store.h"
#include "ringside/launch/stream.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr std::chrono::milliseconds kAgentSoon{50};
TimePoint in_time(std::chrono::nanoseconds wait) { return SteadyClock::now() + wait; }

std::string agent_refusal(int port) {
  return message_of<StoreRefusedError>([&] { AgentStore("127.0.0.1", port, in_time(kPatience)); });
}

}  // namespace

TEST_CASE("agent store: a value is set and read in the words up to 2.1, and from 2.2 on") {
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
        const Descriptor guest = accept_from({listening.number()}, in_time(kPatience));
        write_stream(guest.number(), answer.data(), answer.size(), in_time(kPatience));
      }
    });
    CHECK(lacks(agent_refusal(port_of(listening)), {"does not speak as LibTorch's TCPStore"}) == "");
    stranger.join();
  }
}
