#include "meet.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include <fmt/format.h>
#include "ringside/base/sha256.h"
#include "ringside/base/text.h"
#include "ringside/launch/agent_store.h"
#include "ringside/launch/stream.h"

namespace ringside::inline processes {
namespace {

constexpr std::chrono::seconds kToReach{2};
constexpr std::chrono::milliseconds kToLookAgain{20};

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

// Where the launcher does not say how many ranks are here, MASTER_ADDR does: loopback is this host's alone.
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

// Where rank 0 says that it keeps the store. Nobody listens where one did that has been started anew since.
Place wait_for_place(AgentStore& agent, const std::string& key, TimePoint deadline) {
  for (;;) {
    Place at = place_of(0, agent.get(key, deadline));
    if (connect_to(at.address, at.port, std::min(deadline, SteadyClock::now() + kToReach)).open()) return at;
    if (SteadyClock::now() >= deadline)
      throw StoreTimeoutError("rank 0 said that its store is at {}: nobody listens there",
                              as_typed(at.text()));
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

constexpr std::chrono::seconds kToGreet{2};        // who has connected says at once who it is
constexpr std::chrono::milliseconds kToLook{100};  // at whether a rank has gone meanwhile

// What a rank says to the one that it connects to. The token is the run's: no other process knows it.
struct Greeting {
  uint64_t magic = 0x3147545352;  // "RSTG1", with its version
  uint64_t token = 0;
  int64_t rank = 0;
};

uint64_t token_of(const Launch& launch, TcpStore& store, TimePoint deadline) {
  if (launch.rank.value == 0) {
    std::random_device device;
    store.set("token", std::to_string((uint64_t{device()} << 32) | device()));
  }
  return read_number<uint64_t>(store.get("token", deadline)).value_or(0);
}

std::string address_key(int rank) { return fmt::format("address/{}", rank); }
// Everybody on the host can read such names, and the token is the run's alone.
std::string name_on_host(uint64_t token, int rank) {
  Sha256 hash;
  hash.update(fmt::format("{} {}", token, rank));
  return "ringside/" + hash.hex();
}

class Connections {
 public:
  Connections(const Launch& launch, TcpStore& store, TimePoint deadline)
      : own_(launch.rank.value),
        size_(launch.size.value),
        store_(store),
        deadline_(deadline),
        address_(own_address(launch, store.own_address())),
        listening_(listen_at(address_.listens, 0)),
        token_(token_of(launch, store, deadline)),
        here_(launch.network.value.empty() ? listen_on_host(name_on_host(token_, own_)) : Descriptor()),
        sockets_(size_t(size_)) {}

  std::vector<int> all() {
    store_.set(address_key(own_), Place{address_.reached, port_of(listening_)}.text());
    for (int rank = 0; rank < own_; ++rank) reach(rank);
    for (int missing = size_ - 1 - own_; missing > 0;)
      if (hear()) --missing;
    std::vector<int> numbers;
    for (Descriptor& socket : sockets_) numbers.push_back(socket.release());
    return numbers;
  }

 private:
  Descriptor& socket(int rank) { return sockets_[size_t(rank)]; }

  void reach(int rank) {
    const Place at = place_of(rank, address_of_rank(rank));
    if (here_.open()) socket(rank) = connect_on_host(name_on_host(token_, rank));
    if (!socket(rank).open()) socket(rank) = connect_to(at.address, at.port, deadline_);
    const Greeting greeting{.token = token_, .rank = own_};
    if (socket(rank).open() &&
        write_stream(socket(rank).number(), &greeting, sizeof greeting, deadline_) == Streamed::kAll)
      return;
    store_.check_all_there();
    throw StoreTimeoutError("rank {} cannot reach rank {} at {}", own_, rank, as_typed(at.text()));
  }

  std::string address_of_rank(int rank) try {
    return store_.get(address_key(rank), deadline_);
  } catch (const StoreTimeoutError& late) {
    throw StoreTimeoutError("rank {} has not come; {}", rank, late.what());
  }

  // Whether a rank has connected; who is none is turned away.
  bool hear() {
    Descriptor guest =
        accept_from({listening_.number(), here_.number()}, std::min(deadline_, SteadyClock::now() + kToLook));
    if (!guest.open()) {
      store_.check_all_there();
      if (SteadyClock::now() >= deadline_)
        throw StoreTimeoutError("rank {} waits for {} in vain", own_, missing());
      return false;
    }
    Greeting greeting;
    const TimePoint soon = std::min(deadline_, SteadyClock::now() + kToGreet);
    if (read_stream(guest.number(), &greeting, sizeof greeting, soon) != Streamed::kAll) return false;
    const bool ours = greeting.magic == Greeting{}.magic && greeting.token == token_ &&
                      greeting.rank > own_ && greeting.rank < size_ && !socket(int(greeting.rank)).open();
    if (ours) socket(int(greeting.rank)) = std::move(guest);
    return ours;
  }

  std::string missing() {
    std::string ranks;
    for (int rank = own_ + 1; rank < size_; ++rank)
      if (!socket(rank).open()) ranks += fmt::format("{}rank {}", ranks.empty() ? "" : ", ", rank);
    return ranks;
  }

  const int own_, size_;
  TcpStore& store_;
  const TimePoint deadline_;
  const OwnAddress address_;
  const Descriptor listening_;
  const uint64_t token_;
  const Descriptor here_;            // where ranks of this host connect; closed where a network is asked for
  std::vector<Descriptor> sockets_;  // (rank)
};

}  // namespace

std::string Place::text() const { return fmt::format("{} {}", address, port); }

Place place_of(int rank, const std::string& said) {
  const size_t blank = said.find(' ');
  const auto port = read_number<int>(said.substr(std::min(said.size(), blank + 1)));
  if (blank == said.npos || !port) throw StoreRefusedError("rank {} listens at '{}'", rank, as_typed(said));
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

std::vector<int> connect_all(const Launch& launch, TcpStore& store, TimePoint deadline) {
  return Connections(launch, store, deadline).all();
}

}  // namespace ringside::inline processes
