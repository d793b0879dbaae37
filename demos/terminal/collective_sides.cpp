#include "collective_sides.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <numeric>

#include "ringside/comm/launch.h"
#include "ringside/comm/observed_group.h"
#include "ringside/launch/store.h"
#include "ringside/launch/stream.h"
#include "ringside/processes/join.h"
#if __has_include("ringside/gloo/gloo_hub.h")
#include "ringside/gloo/gloo_hub.h"
#endif

namespace ringside {
namespace {

constexpr std::chrono::seconds kLongest{60};  // a call
TimePoint in_time() { return SteadyClock::now() + kLongest; }

struct SocketPair {
  Descriptor one, other;
};
SocketPair pair_of(Descriptor one, const Descriptor& listening) {
  SocketPair pair{std::move(one), accept_from({listening.number()}, in_time())};
  if (!pair.one.open() || !pair.other.open()) throw MissingError("no connection within this host");
  return pair;
}
SocketPair host_pair() {
  const std::string name = fmt::format("ringside/bench/{}", ::getpid());
  const Descriptor listening = listen_on_host(name);
  return pair_of(connect_on_host(name), listening);
}
SocketPair tcp_pair() {
  const Descriptor listening = listen_at("127.0.0.1", 0);
  return pair_of(connect_to("127.0.0.1", port_of(listening), in_time()), listening);
}

// (rank) f(rank), each on a thread of its own.
template <typename F>
auto on_each(int ranks, const F& f) {
  std::vector<decltype(f(0))> made(static_cast<size_t>(ranks));
  run_ranks(
      ranks, [&](int rank) { made[size_t(rank)] = f(rank); }, [](int, const std::string&) {});
  return made;
}

std::vector<std::shared_ptr<Wiring>> over_sockets(int ranks) {
  const auto size = size_t(ranks);
  std::vector<std::vector<int>> sockets(size, std::vector<int>(size, -1));
  for (size_t a = 0; a < size; ++a)
    for (size_t b = a + 1; b < size; ++b) {
      SocketPair pair = host_pair();
      sockets[a][b] = pair.one.release(), sockets[b][a] = pair.other.release();
    }
  std::vector<std::shared_ptr<Wiring>> hubs;
  for (int rank = 0; rank < ranks; ++rank) hubs.push_back(hub_of_sockets(rank, sockets[size_t(rank)]));
  return hubs;
}

CollectiveSide side_of(std::string name, const std::vector<std::shared_ptr<Wiring>>& wirings) {
  std::vector<int> ranks(wirings.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  auto groups = std::make_shared<std::vector<std::unique_ptr<ProcessGroup>>>();
  const GroupOptions options{.name = "bench", .timeout = kLongest};
  for (const int rank : ranks)
    groups->push_back(std::make_unique<ObservedGroup>(options, ranks, rank, Observers{},
                                                      wirings[size_t(rank)]->connect("bench", ranks, rank)));
  return {std::move(name), [](const Collective&) { return true; },
          [groups](int rank, const Collective& call) { (*groups)[size_t(rank)]->run(call); }};
}

#if __has_include("ringside/gloo/gloo_hub.h")
void add_gloo(int ranks, std::vector<CollectiveSide>& sides) {
  const std::shared_ptr<Store> store = make_memory_store();
  sides.push_back(side_of("gloo", on_each(ranks, [&](int rank) -> std::shared_ptr<Wiring> {
                            return connect_over_gloo(store, {.rank = rank, .size = ranks});
                          })));
  std::vector<int> all(static_cast<size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  for (const std::string& algorithm : gloo_algorithms()) {
    const std::shared_ptr<Store> own_store = make_memory_store();
    auto own = on_each(ranks, [&](int rank) {
      return connect_gloo_alone(own_store, {.rank = rank, .size = ranks, .algorithm = algorithm});
    });
    const auto first = own.front();
    sides.push_back({algorithm, [first](const Collective& call) { return first->takes(call); },
                     [own, all](int rank, const Collective& call) {
                       const auto carried = own[size_t(rank)]->carry(1, all, rank, call, in_time());
                       if (carried.how != Channel::Written::kAll)
                         throw Error(ExitCode::kTimeout, "a call of Gloo's own did not come to its end");
                     }});
  }
}
#else
void add_gloo(int, std::vector<CollectiveSide>&) {}
#endif

}  // namespace

std::vector<CollectiveSide> connect_sides(int ranks) {
  std::vector<CollectiveSide> sides;
  sides.push_back(
      side_of("threads", std::vector<std::shared_ptr<Wiring>>(size_t(ranks), make_thread_wiring({}))));
  sides.push_back(side_of("sockets", over_sockets(ranks)));
  add_gloo(ranks, sides);
  return sides;
}

std::vector<MachineLimit> machine_limits(int ranks, int64_t most_bytes) {
  using Memory = std::vector<std::vector<std::byte>>;  // (rank)
  const auto memory = [&] {
    return std::make_shared<Memory>(size_t(ranks), std::vector<std::byte>(size_t(most_bytes)));
  };
  const auto from = memory(), to = memory();
  const auto copy = [from, to](int rank, int64_t bytes) {
    const auto at = size_t(rank);
    std::memcpy((*to)[at].data(), (*from)[at].data(), size_t(bytes));
  };
  const auto pairs = std::make_shared<std::vector<SocketPair>>();  // (rank) with the next
  for (int rank = 0; rank < ranks; ++rank) pairs->push_back(tcp_pair());
  const auto loopback = [from, to, pairs, ranks](int member, int64_t bytes) {
    const auto at = size_t(member % ranks), count = size_t(bytes);
    const SocketPair& pair = (*pairs)[at];
    const Streamed moved = member < ranks
                               ? write_stream(pair.one.number(), (*from)[at].data(), count, in_time())
                               : read_stream(pair.other.number(), (*to)[at].data(), count, in_time());
    if (moved != Streamed::kAll)
      throw Error(ExitCode::kTimeout, "a loopback socket does not carry its bytes");
  };
  return {{"copy", ranks, copy}, {"loopback", 2 * ranks, loopback}};
}

}  // namespace ringside
