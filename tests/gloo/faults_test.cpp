// What goes wrong over Gloo. Ranks are threads of this process, or processes that start_ranks has started.
#include <catch.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "connected_ranks.h"
#include "gloo_mesh.h"
#include "on_ranks.h"
#include "patience.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/observed_group.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

std::unique_ptr<ObservedGroup> group_of(ProcessWiring& hub, GroupOptions options = {}) {
  const std::vector<int> ranks = all_ranks(hub.size());
  return std::make_unique<ObservedGroup>(options, ranks, hub.rank(), Observers{},
                                         hub.connect(options.name, ranks, hub.rank()));
}

// How rank 0's barrier ends where rank 1, of another program, writes these bytes.
std::vector<int> lost_after(const std::vector<uint8_t>& bytes) {
  const auto store = make_memory_store();
  std::thread other([&] {
    const auto mesh = std::make_shared<GlooMesh>();
    mesh->store = store;
    mesh->device = gloo_device({});
    mesh->context = gloo_context(*mesh, "gloo/", 1, 2, SteadyClock::now() + kPatience);
    const auto channel = make_gloo_channel(mesh, 0);
    channel->write(bytes.data(), bytes.size(), SteadyClock::now() + kPatience);
    std::byte one{};
    while (channel->read(&one, 1)) continue;  // until rank 0 is through with it
  });
  std::vector<int> lost;
  {
    const auto hub = connect_over_gloo(store, {.rank = 0, .size = 2});
    const auto group = group_of(*hub, {.timeout = 2 * kPatience});
    try {
      group->barrier({})->wait();
    } catch (const PeerLostError& error) {
      lost = error.ranks();
    }
  }
  other.join();
  return lost;
}

}  // namespace

TEST_CASE("a peer of another version, and one that writes no frames, is lost") {
  std::vector<uint8_t> frame(64);  // "RSF1", another version, kind 0, all else 0
  const char magic[] = "1FSR";
  std::copy_n(magic, 4, frame.begin());
  frame[4] = 2;
  CHECK(lost_after(frame) == std::vector<int>{1});
  CHECK(lost_after(std::vector<uint8_t>(100, 'x')) == std::vector<int>{1});
}

TEST_CASE(
    "a rank that does not come: the others say so at their deadline; an address that is none is refused") {
  const auto store = make_memory_store();
  CHECK_THROWS_AS(connect_over_gloo(store, {.rank = 0, .size = 2, .timeout = 50ms}), StoreTimeoutError);
  CHECK_THROWS_AS(connect_over_gloo(store, {.rank = 0, .size = 2, .address = "192.0.2.1"}), UsageError);
  CHECK_THROWS_AS(connect_over_gloo(store, {.rank = 0, .size = 2, .interface = "no such"}), UsageError);
}

// What a rank put in the store: where each of its peers reaches it.
TEST_CASE("a stranger who connects and resets the connection does not end the process") {
  const auto store = make_memory_store();
  std::thread stranger([&] {
    const std::string place = store->get("gloo/0", SteadyClock::now() + kPatience);
    sockaddr_storage address{};
    std::memcpy(&address, place.data(), std::min(sizeof(address), place.size()));
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    CHECK(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(sockaddr_in)) == 0);
    ::close(socket);
  });
  CHECK_THROWS_AS(connect_over_gloo(store, {.rank = 0, .size = 2, .timeout = 200ms}), StoreTimeoutError);
  stranger.join();
}

TEST_CASE("what a rank says last is heard, also where the others write to it at that moment") {
  for (int time = 0; time < 40; ++time) {
    auto hubs = connect_ranks_over_gloo(2);
    std::string text;
    std::array<std::thread, 2> ranks;
    for (const int rank : {0, 1})
      ranks[static_cast<size_t>(rank)] =
          std::thread([rank, &text, hub = hubs[static_cast<size_t>(rank)]]() mutable {
            std::vector<float> data(4 << 20);
            const auto group = group_of(*hub, {.timeout = 2 * kPatience});
            const WorkPtr work = group->all_reduce({data.data(), std::ssize(data), Dtype::kFloat32}, {});
            if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (rank == 0) group->abort("enough");
            try {
              work->wait();
            } catch (const PeerLostError& error) {
              if (rank == 1) text = error.what();
            }
          });
    hubs.clear();  // they end with their ranks
    for (std::thread& rank : ranks) rank.join();
    if (!text.empty()) CHECK(text.find("rank 0 aborted: enough") != std::string::npos);
  }
}

TEST_CASE("a rank that ends because of another blames that one in every group") {
  const auto hubs = connect_ranks_over_gloo(3);
  std::array<std::vector<int>, 3> blamed;
  std::atomic<bool> over = false;
  std::vector<std::thread> ranks;
  for (const int rank : {0, 1, 2})
    ranks.emplace_back([&, rank] {
      ProcessWiring& hub = *hubs[static_cast<size_t>(rank)];
      const auto work = group_of(hub, {.name = "work", .timeout = std::chrono::milliseconds(100)});
      const auto control = group_of(hub, {.name = "control", .timeout = 2 * kPatience});
      try {  // rank 2 waits in one group, rank 0 in the other
        if (rank == 2) work->barrier({})->wait();
        if (rank == 0) control->barrier({})->wait();
        if (rank == 1) eventually([&] { return over.load(); });
      } catch (const CollectiveError& error) {
        if (rank == 2) hub.abort(2, {Failure::Kind::kPeerLost, {2}, "rank 2 aborted"});
        blamed[static_cast<size_t>(rank)] = error.ranks();
        if (rank == 0) over = true;
      }
    });
  for (std::thread& rank : ranks) rank.join();
  CHECK(blamed[2] == std::vector<int>{0, 1});  // both are missing there
  CHECK(blamed[0] == blamed[2]);
}

// Of start_ranks --killed 2, with RINGSIDE_KILL_AT.
TEST_CASE("a rank that is killed is lost to the others, which name it", "[.killed]") {
  const auto hub = own_process();
  if (!hub) return;
  constexpr int kKilled = 2;
  const char* at = std::getenv("RINGSIDE_KILL_AT");
  const std::string moment = at == nullptr ? "start" : at;
  const auto die = [] { std::raise(SIGKILL); };
  const auto group = group_of(*hub, {.timeout = 2 * kPatience});
  const bool is_killed = hub->rank() == kKilled;
  if (is_killed && moment == "start") die();
  const bool is_large = moment == "connecting" || moment == "inside";
  std::vector<float> data(is_large ? 4 << 20 : 1000);
  std::jthread killer;
  std::vector<int> lost;
  try {
    for (int call = 0;; ++call) {
      if (is_killed && call == 2 && moment == "between") die();
      // At the first large call the group connects; later it is in the middle of a message of 4 MB.
      if (is_killed && is_large && call == (moment == "connecting" ? 0 : 2))
        killer = std::jthread([&] {
          std::this_thread::sleep_for(3ms);
          die();
        });
      group->all_reduce({data.data(), std::ssize(data), Dtype::kFloat32}, {})->wait();
    }
  } catch (const PeerLostError& error) {
    lost = error.ranks();
  }
  CHECK(lost == std::vector<int>{kKilled});
}
