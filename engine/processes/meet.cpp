#include "meet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "ringside/base/text.h"
#include "ringside/launch/agent_store.h"
#include "ringside/launch/stream.h"

namespace ringside::inline processes {
namespace {

constexpr std::chrono::seconds kToReach{2};
constexpr std::chrono::milliseconds kToLookAgain{20};

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

// Where the launcher does not say how many ranks are here, MASTER_ADDR does: other hosts can have no loopback
// address.
bool on_one_host(const Launch& launch) {
  if (launch.local_size.from != "default") return launch.local_size.value == launch.size.value;
  return is_loopback(launch.address.value) || launch.address.value == "localhost";
}

std::unique_ptr<StoreServer> keep_store(const Launch& launch) {
  if (launch.rank.value != 0) return nullptr;
  if (launch.store_socket.value >= 0)
    return std::make_unique<StoreServer>(launch.run(), Descriptor(launch.store_socket.value));
  return std::make_unique<StoreServer>(launch.run(), on_one_host(launch) ? launch.address.value : "0.0.0.0",
                                       launch.port.value);
}

std::shared_ptr<TcpStore> reach(const Launch& launch, const Place& at, TimePoint deadline) {
  return connect_store(at.address, at.port, launch.run(), launch.rank.value, deadline);
}

// Where rank 0 says that it keeps the store. Nobody listens at what one said that has been started anew
// since.
Place wait_for_place(AgentStore& agent, const std::string& key, TimePoint deadline) {
  for (;;) {
    Place at = place_of(0, agent.get(key, deadline));
    if (connect_to(at.address, at.port, std::min(deadline, SteadyClock::now() + kToReach)).open()) return at;
    if (SteadyClock::now() >= deadline)
      throw StoreTimeoutError(
          fmt::format("rank 0 said that its store is at {}: nobody listens there", as_typed(at.text())));
    std::this_thread::sleep_for(kToLookAgain);
  }
}

RunStore meet_by_agent(const Launch& launch, TimePoint deadline) {
  AgentStore agent(launch.address.value, launch.agent_port.value, deadline);
  const std::string key =
      fmt::format("ringside/{}/{}/address_of_rank_0", launch.run_id.value, launch.restart.value);
  if (launch.rank.value > 0) return {nullptr, reach(launch, wait_for_place(agent, key, deadline), deadline)};
  const OwnAddress own = own_address(launch, agent.own_address());
  auto server = std::make_unique<StoreServer>(launch.run(), own.listens);
  const Place at{own.reached, server->port()};
  agent.set(key, at.text());
  return {std::move(server), reach(launch, at, deadline)};
}

}  // namespace

std::string Place::text() const { return fmt::format("{} {}", address, port); }

Place place_of(int rank, const std::string& said) {
  const size_t blank = said.find(' ');
  const auto port = read_number<int>(said.substr(std::min(said.size(), blank + 1)));
  if (blank == said.npos || !port)
    throw StoreRefusedError(fmt::format("rank {} listens at '{}'", rank, as_typed(said)));
  return {said.substr(0, blank), *port};
}

OwnAddress own_address(const Launch& launch, const std::string& reaches_by) {
  if (!launch.network.value.empty()) {
    const std::string address = address_of_interface(launch.network.value);
    return {address, address};
  }
  if (is_loopback(reaches_by) && !on_one_host(launch)) return {"0.0.0.0", launch.address.value};
  return {reaches_by, reaches_by};
}

RunStore meet(const Launch& launch, TimePoint deadline) {
  if (launch.agent_port.value > 0) return meet_by_agent(launch, deadline);
  RunStore run{.server = keep_store(launch), .store = nullptr};
  run.store = reach(launch, {launch.address.value, launch.port.value}, deadline);
  return run;
}

}  // namespace ringside::inline processes
