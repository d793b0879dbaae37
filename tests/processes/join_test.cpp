// Ranks of one run meet: here each in a thread of this process, as it would be alone in its own.
#include "ringside/processes/join.h"

#include <catch.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "check_text.h"
#include "fake_agent.h"
#include "patience.h"
#include "ringside/comm/errors.h"
#include "ringside/launch/stream.h"
#include "ringside/world/world.h"
#include "shared_words.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

int free_port() { return port_of(listen_at("127.0.0.1", 0)); }

Launch launch_of(int rank, int size, int port, const std::string& run = "a run") {
  Launch place;
  place.rank = {rank, "test"};
  place.size = place.local_size = {size, "test"};
  place.port = {port, "test"};
  place.run_id = {run, "test"};
  return place;
}

// rank_main(rank) on a thread each; what each error says, "" without one.
std::vector<std::string> on_threads(int ranks, const std::function<void(int rank)>& rank_main) {
  std::vector<std::string> said(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back(
        [&, rank] { said[static_cast<size_t>(rank)] = message_of<Error>([&] { rank_main(rank); }, ""); });
  for (std::thread& thread : threads) thread.join();
  return said;
}

// Connects as soon as somebody listens at the port, says these bytes, and keeps the connection for a while.
void intrude(int port, const std::string& bytes, std::chrono::milliseconds stays) {
  Descriptor socket;
  while (!socket.open()) socket = connect_to("127.0.0.1", port, SteadyClock::now() + kPatience);
  write_stream(socket.number(), bytes.data(), bytes.size(), SteadyClock::now() + kPatience);
  std::this_thread::sleep_for(stays);
}

// Not at the store: at the port where rank 0 waits for the other ranks.
void intrude_where_rank_0_listens(const Launch& place) {
  const TimePoint end = SteadyClock::now() + kPatience;
  const auto store = connect_store(place.address.value, place.port.value, place.run(), place.rank.value, end);
  const std::string at = store->get("address/0", end);
  const int port = std::stoi(at.substr(at.find(' ') + 1));
  intrude(port, "GET / HTTP/1.1\r\n\r\n", std::chrono::milliseconds(0));
  const std::string greeting(24, '\1');  // as long as a rank's
  intrude(port, greeting, std::chrono::milliseconds(0));
  std::ifstream names("/proc/net/unix");
  for (std::string line; std::getline(names, line);) {
    const size_t name = line.find("@ringside/");
    if (name == line.npos) continue;
    const Descriptor guest = connect_on_host(line.substr(name + 1));
    if (guest.open()) write_stream(guest.number(), greeting.data(), greeting.size(), end);
  }
}

const std::vector<std::string> kAllWell(3, "");

}  // namespace

TEST_CASE("join: all meet, whoever comes first, and share what they say, large and empty") {
  const int port = free_port();
  const std::string large(20'000'000, 'x');  // more than one value of the store
  CHECK(on_threads(3, [&](int rank) {
          std::this_thread::sleep_for(std::chrono::milliseconds(rank == 0 ? 60 : 0));  // a slow start
          const auto process = join(launch_of(rank, 3, port), kPatience);
          CHECK((process->rank() == rank && process->size() == 3));
          for (int round = 0; round < 3; ++round) {
            const std::string own = rank == 1 && round == 1 ? large : std::to_string(10 * round + rank);
            const auto all = process->share(own, SteadyClock::now() + kPatience);
            CHECK(all.silent.empty());
            CHECK(all.said[0] == std::to_string(10 * round));
            CHECK(all.said[1].size() == (round == 1 ? large.size() : all.said[0].size()));
            CHECK(all.said[2] == std::to_string(10 * round + 2));
          }
        }) == kAllWell);
}

TEST_CASE("join: one clock is one clock, within the error that is said") {
  const int port = free_port();
  CHECK(on_threads(3, [&](int rank) {
          const auto process = join(launch_of(rank, 3, port), kPatience);
          for (int other = 0; other < 3; ++other) {
            CHECK(std::abs(process->clock(other).offset_ns) <= process->clock(other).error_ns);
            CHECK(process->clock_shift_ns(other) == -process->clock(other).offset_ns);
          }
          CHECK(process->clock(rank).error_ns == 0);
          CHECK(lacks(process->sentence(),
                      {"3 processes over Unix sockets", "clocks are aligned to rank 0's, within"}) == "");
        }) == kAllWell);
}

TEST_CASE("join: who asks for a network interface has TCP, also within a host") {
  const int port = free_port();
  CHECK(on_threads(2, [&](int rank) {
          Launch place = launch_of(rank, 2, port);
          place.network = {"lo", "test"};
          const auto process = join(place, kPatience);
          CHECK(lacks(process->sentence(), {"2 processes over TCP"}) == "");
        }) == std::vector<std::string>(2));
}

TEST_CASE("stream: a name on the host is one listener's, for as long as it listens") {
  const std::string name = "ringside test " + std::to_string(::getpid());
  CHECK_FALSE(connect_on_host(name).open());
  {
    const Descriptor listening = listen_on_host(name);
    CHECK_FALSE(listen_on_host(name).open());
    const Descriptor guest = connect_on_host(name);
    CHECK(is_on_host(accept_from({listening.number(), -1}, SteadyClock::now() + kPatience).number()));
    CHECK(is_on_host(guest.number()));
  }
  CHECK_FALSE(connect_on_host(name).open());
}

TEST_CASE("join: strangers are turned away, and the run goes on") {
  const int port = free_port();
  const std::string http = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::vector<std::thread> strangers;
  for (const std::string& bytes : {http, std::string(100, '\0'), std::string()})
    strangers.emplace_back([&, bytes] { intrude(port, bytes, std::chrono::milliseconds(200)); });
  CHECK(on_threads(3, [&](int rank) {
          std::this_thread::sleep_for(std::chrono::milliseconds(50 * rank));
          if (rank == 1) intrude_where_rank_0_listens(launch_of(rank, 3, port));
          const auto process = join(launch_of(rank, 3, port), kPatience);
          CHECK(process->share("said", SteadyClock::now() + kPatience).silent.empty());
        }) == kAllWell);
  for (std::thread& stranger : strangers) stranger.join();
}

TEST_CASE("join: another size, run or rank of ours is refused by name, in its own process alone") {
  const int port = free_port();
  std::atomic<int> refused{0};
  CHECK(on_threads(3, [&](int rank) {
          const auto process = join(launch_of(rank, 3, port), kPatience);
          if (rank == 0) {
            const auto soon = std::chrono::seconds(20);
            CHECK(lacks(message_of<StoreRefusedError>([&] { join(launch_of(1, 2, port), soon); }),
                        {"run of 3"}) == "");
            CHECK(lacks(message_of<StoreRefusedError>([&] { join(launch_of(1, 3, port), soon); }),
                        {"there already"}) == "");
            CHECK(lacks(message_of<StoreRefusedError>([&] { join(launch_of(1, 3, port, "x"), soon); }),
                        {"run 'x'"}) == "");
            ++refused;
          }
          CHECK(process->share("said", SteadyClock::now() + kPatience).silent.empty());
        }) == kAllWell);
  CHECK(refused == 1);
}

TEST_CASE("join: a port in use, a rank that does not come and one that goes are named") {
  const Descriptor taken = listen_at("127.0.0.1", 0);
  const auto soon = std::chrono::milliseconds(300);
  const std::string port = std::to_string(port_of(taken));
  CHECK(lacks(message_of<MissingError>([&] { join(launch_of(0, 2, port_of(taken)), soon); }),
              {"127.0.0.1:" + port}) == "");
  const int other = free_port();
  const std::vector<std::string> said =
      on_threads(2, [&](int rank) { join(launch_of(rank, 3, other), soon); });
  for (const std::string& one : said) CHECK(lacks(one, {"rank 2"}) == "");
}

TEST_CASE("join: a rank that is silent is said to be, and the others are heard") {
  const int port = free_port();
  CHECK(on_threads(3, [&](int rank) {
          const auto process = join(launch_of(rank, 3, port), kPatience);
          if (rank == 2) return;
          const auto all = process->share("said", SteadyClock::now() + kPatience);
          CHECK(all.silent == std::vector<int>{2});
          CHECK(all.said == std::vector<std::string>{"said", "said", ""});
        }) == kAllWell);
}

TEST_CASE("join: a rank that is there and says nothing by the deadline is late, and not gone") {
  const int port = free_port();
  CHECK(on_threads(2, [&](int rank) {
          const auto process = join(launch_of(rank, 2, port), kPatience);
          const auto soon = SteadyClock::now() + std::chrono::milliseconds(100);
          if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(600));
          const auto all = process->share("said", rank == 0 ? soon : SteadyClock::now() + kPatience);
          CHECK(all.silent.empty());
          CHECK(all.late == (rank == 0 ? std::vector<int>{1} : std::vector<int>()));
          CHECK(all.said[0] == "said");
        }) == std::vector<std::string>(2));
}

TEST_CASE("join: a rank that still works when the run of another is over is late, and not lost") {
  const int port = free_port();
  std::vector<int> late;
  const auto said = on_threads(2, [&](int rank) {
    const auto process = join(launch_of(rank, 2, port), kPatience);
    try {
      run_world({.ranks = 2, .timeout = std::chrono::seconds(1), .hooks = {.process = process}},
                [&](World& world) {
                  world.group("dp").barrier({})->wait();
                  if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
                });
    } catch (const TimeoutError& error) {
      late = error.ranks();
      throw;
    }
  });
  CHECK(said[0] == "");
  CHECK(lacks(said[1], {"rank 0 is still there", "1.0 s", "a larger timeout"}) == "");
  CHECK(late == std::vector<int>{0});
}

TEST_CASE("words: a store holds a few pieces of each rank, however much they say") {
  const RunName run{"a run", 3, 0};
  constexpr size_t kStore = 1 << 20;
  const StoreServer server(run, "127.0.0.1", 0, kStore);
  const auto word = [](int round, int rank) {
    std::string said(rank == 1 && round == 1 ? 5 : 3 * kStore + static_cast<size_t>(rank), 'a');
    for (size_t i = 0; i < said.size(); i += 1000)
      said[i] = static_cast<char>('a' + (i / 1000 + static_cast<size_t>(round + rank)) % 26);
    return said;
  };
  CHECK(on_threads(3, [&](int rank) {
          const TimePoint end = SteadyClock::now() + kPatience;
          const auto store = connect_store("127.0.0.1", server.port(), run, rank, end);
          SharedWords words(*store, rank, 3, kStore);
          for (int round = 0; round < 3; ++round) {
            ProcessWiring::Shared all{.said = std::vector<std::string>(3)};
            all.said[static_cast<size_t>(rank)] = word(round, rank);
            words.tell_and_hear(all, SteadyClock::now() + kPatience);
            CHECK((all.silent.empty() && all.late.empty()));
            for (int other = 0; other < 3; ++other)
              CHECK((all.said[static_cast<size_t>(other)] == word(round, other)));
          }
        }) == kAllWell);
}

TEST_CASE("words: who goes while it reads holds up nobody") {
  const RunName run{"a run", 3, 0};
  constexpr size_t kStore = 1 << 20;
  const StoreServer server(run, "127.0.0.1", 0, kStore);
  CHECK(on_threads(3, [&](int rank) {
          const TimePoint end = SteadyClock::now() + kPatience;
          const auto store = connect_store("127.0.0.1", server.port(), run, rank, end);
          if (rank == 2) {  // says nothing, has read a piece of each, and goes
            store->set("shared/0/2/0", "");
            for (const char* key : {"shared/0/0/read/2", "shared/0/1/read/2"}) store->set(key, "1");
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            return;
          }
          SharedWords words(*store, rank, 3, kStore);
          ProcessWiring::Shared all{.said = std::vector<std::string>(3)};
          all.said[static_cast<size_t>(rank)] = std::string(2 * kStore, 'x');
          words.tell_and_hear(all, SteadyClock::now() + std::chrono::seconds(20));
          CHECK((all.silent.empty() && all.late.empty()));
          for (const int other : {0, 1}) CHECK(all.said[static_cast<size_t>(other)].size() == 2 * kStore);
        }) == kAllWell);
}

TEST_CASE("words: what finds no room is left out, and neither who says it nor who waits for it ends") {
  const RunName run{"a run", 2, 0};
  constexpr size_t kStore = 1 << 20;
  const StoreServer server(run, "127.0.0.1", 0, kStore);
  CHECK(on_threads(2, [&](int rank) {
          const TimePoint end = SteadyClock::now() + kPatience;
          const auto store = connect_store("127.0.0.1", server.port(), run, rank, end);
          SharedWords words(*store, rank, 2);  // which expects a larger store
          for (int round = 0; round < 2; ++round) {
            ProcessWiring::Shared all{.said = std::vector<std::string>(2)};
            all.said[static_cast<size_t>(rank)] =
                round == 0 && rank == 1 ? std::string(3 * kStore, 'x') : "x";
            words.tell_and_hear(all, SteadyClock::now() + kPatience);
            CHECK((all.silent.empty() && all.late.empty()));
            CHECK(all.said[0] == "x");
            if (rank == 0) CHECK(all.said[1] == (round == 0 ? "" : "x"));
          }
        }) == std::vector<std::string>(2));
}

TEST_CASE("join: a transport that this build has not is named") {
  Launch place = launch_of(0, 2, 1);
  place.transport = {"carrier pigeon", "--transport"};
  CHECK(lacks(message_of<UsageError>([&] { join(place); }),
              {"--transport=carrier pigeon", "this build has sockets"}) == "");
  CHECK(join(launch_of(0, 1, 1)) == nullptr);
}

TEST_CASE("join: without NCCL it is said what to install") {
  ::setenv("RINGSIDE_NCCL", "/nowhere/libnccl.so.2", 1);
  Launch alone = launch_of(0, 2, free_port());
  alone.transport = {"nccl", "--transport"};
  CHECK(lacks(message_of<MissingError>([&] { join(alone, kPatience); }), {"/nowhere/libnccl.so.2"}) == "");
  ::unsetenv("RINGSIDE_NCCL");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_CASE("join: a host that reaches itself over loopback says the name by which others reach it") {
  const int port = free_port();
  CHECK(on_threads(2, [&](int rank) {
          Launch launch = launch_of(rank, 2, port);
          launch.address = {"localhost", "test"};
          launch.local_size = {1, "test"};
          if (rank == 1) {
            const TimePoint end = SteadyClock::now() + kPatience;
            const auto store = connect_store("localhost", port, launch.run(), rank, end);
            CHECK(store->get("address/0", end).starts_with("localhost "));
          }
          join(launch, kPatience);
        }) == std::vector<std::string>(2));
}

TEST_CASE("join: a network interface that is not there is named before anybody is waited for") {
  for (const std::string& transport : transports()) {
    Launch launch = launch_of(1, 2, free_port());
    launch.network = {"no such", "test"};
    launch.transport = {transport, "test"};
    CHECK(lacks(message_of<MissingError>([&] { join(launch, kPatience); }), {"'no such'", "lo"}) == "");
  }
}

TEST_CASE("join: rank 0's address is read in torchrun's store, again where it is of one that is gone") {
  for (const int first : {0, 1}) {
    const int port = free_port(), gone = free_port();
    const std::string key = "ringside/a run/0/address_of_rank_0";
    const FakeAgent agent(first, {{key, "127.0.0.1 " + std::to_string(gone)}},
                          {{key, "127.0.0.1 " + std::to_string(port)}});
    CHECK(on_threads(2, [&](int rank) {
            Launch launch = launch_of(rank, 2, port);
            if (rank == 1) launch.agent_port = {agent.port(), "test"};
            join(launch, kPatience);
          }) == std::vector<std::string>(2));
    const FakeAgent empty(first);
    Launch launch = launch_of(1, 2, 0);
    launch.agent_port = {empty.port(), "test"};
    CHECK(lacks(message_of<StoreTimeoutError>([&] { join(launch, std::chrono::milliseconds(100)); }),
                {std::to_string(empty.port()), "nobody has set '" + key + "'"}) == "");
  }
}
