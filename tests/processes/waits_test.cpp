// What ranks in processes notice of each other's calls: cycles of waits over several groups, and a call that
// one of them has left out.
#include <catch.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <thread>

#include "check_text.h"
#include "patience.h"
#include "ringside/comm/errors.h"
#include "ringside/launch/stream.h"
#include "ringside/processes/join.h"
#include "ringside/world/world.h"
#include "tested_transports.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kInCircle = 3;

Launch rank_of_run(int rank, int ranks, int port, const std::string& transport) {
  Launch place;
  place.rank = {rank, "test"};
  place.size = place.local_size = {ranks, "test"};
  place.port = {port, "test"};
  place.run_id = {"waits", "test"};
  place.transport = {transport, "test"};
  return place;
}

struct EndOfRank {
  std::string type = "fine", text{};
  std::vector<int> ranks{};
};

EndOfRank ended_by(const std::function<void()>& run) {
  try {
    run();
  } catch (const MismatchError& error) {
    return {"mismatch", error.what(), error.ranks()};
  } catch (const TimeoutError& error) {
    return {"timeout", error.what(), error.ranks()};
  } catch (const std::exception& error) {
    return {"other", error.what()};
  }
  return {};
}

// Each rank on a thread, as it would be alone in its process. rank_mains: worlds one after the other.
std::vector<EndOfRank> ends_of(const std::string& transport, int ranks, const WorldOptions& all,
                               const std::vector<std::function<void(World&)>>& rank_mains) {
  const int port = port_of(listen_at("127.0.0.1", 0));
  std::vector<EndOfRank> ends(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      ends[static_cast<size_t>(rank)] = ended_by([&] {
        WorldOptions options = all;
        options.ranks = ranks;
        options.hooks.process = join(rank_of_run(rank, ranks, port, transport), kPatience);
        for (const auto& rank_main : rank_mains) run_world(options, rank_main);
      });
    });
  for (std::thread& thread : threads) thread.join();
  return ends;
}

void sum_over(ProcessGroup& group) {
  double one = 1;
  group.all_reduce({&one, 1, Dtype::kFloat64}, {"example", ""})->wait();
}

// The group of this rank and the next, and that of the one before and this rank.
ProcessGroup& pair_of(World& world, int first) {
  std::vector<int> ranks{first, (first + 1) % kInCircle};
  std::sort(ranks.begin(), ranks.end());
  return world.group(std::string(1, static_cast<char>('a' + first)), ranks);
}
void in_a_circle(World& world) {
  const int before = (world.rank() + kInCircle - 1) % kInCircle;
  sum_over(pair_of(world, world.rank()));
  sum_over(pair_of(world, before));
}
void one_after_the_other(World& world) {
  for (int first = 0; first < kInCircle; ++first)
    if (world.rank() == first || world.rank() == (first + 1) % kInCircle) sum_over(pair_of(world, first));
}

}  // namespace

TEST_CASE("processes: a cycle of waits over three groups is named long before a deadline, on every rank") {
  for (const std::string& transport : tested_transports()) {
    const TimePoint start = SteadyClock::now();
    const auto ends =
        ends_of(transport, kInCircle, {.timeout = 4 * kPatience}, {one_after_the_other, in_a_circle});
    CHECK(SteadyClock::now() - start < kPatience);
    for (const EndOfRank& end : ends) {
      CAPTURE(transport, end.text);
      CHECK(end.type == "mismatch");
      CHECK(lacks(end.text, {"a cycle of waits", "in a #0 for rank 1", "in b #0 for rank 2",
                             "in c #0 for rank 0"}) == "");
    }
  }
}

TEST_CASE(
    "processes: ranks that wait in one group after the other, for one that takes its time, are in no cycle") {
  for (const std::string& transport : tested_transports()) {
    const auto ends = ends_of(transport, kInCircle, {.timeout = kPatience}, {[](World& world) {
                                for (int round = 0; round < 4; ++round) {
                                  if (round % kInCircle == world.rank())
                                    std::this_thread::sleep_for(std::chrono::milliseconds(120));
                                  one_after_the_other(world);
                                }
                              }});
    for (const EndOfRank& end : ends) {
      CAPTURE(transport, end.text);
      CHECK(end.type == "fine");
    }
  }
}

TEST_CASE("processes: a rank in another group's collective is named, as it is between threads") {
  constexpr int kOdd = 2, kAll = 4;
  for (const std::string& transport : tested_transports()) {
    const auto ends = ends_of(transport, kAll, {.timeout = 4 * kPatience}, {[](World& world) {
                                ProcessGroup &dp = world.group("dp"), &common = world.group("default");
                                sum_over(dp);
                                sum_over(world.rank() == kOdd ? dp : common);
                              }});
    for (const EndOfRank& end : ends) {
      CAPTURE(transport, end.text);
      CHECK(end.type == "mismatch");
      CHECK(lacks(end.text, {"a cycle of waits"}) == "");
      CHECK(std::count(end.ranks.begin(), end.ranks.end(), kOdd) == 1);
    }
  }
}

TEST_CASE(
    "processes: a call that one rank leaves out is not paired with the next one, though that is as large") {
  constexpr int kOdd = 1;
  for (const std::string& transport : tested_transports())
    for (const bool check : {false, true}) {
      std::array<std::vector<float>, kInCircle> sums;
      const auto ends = ends_of(
          transport, kInCircle, {.timeout = std::chrono::milliseconds(check ? 200'000 : 700), .check = check},
          {[&](World& world) {
            for (int bucket = 0; bucket < 4; ++bucket) {
              if (world.rank() == kOdd && bucket == 2) continue;
              auto value = static_cast<float>(bucket);
              world.group("dp")
                  .all_reduce({&value, 1, Dtype::kFloat32}, {"gradients", "bucket " + std::to_string(bucket)})
                  ->wait();
              sums[static_cast<size_t>(world.rank())].push_back(value);
            }
          }});
      for (size_t rank = 0; rank < kInCircle; ++rank) {
        CAPTURE(transport, check, rank, ends[rank].text);
        CHECK(sums[rank] == std::vector<float>{0, 3});  // and nothing behind
        CHECK(ends[rank].type == (check ? "mismatch" : "timeout"));
        if (check) CHECK(ends[rank].ranks == std::vector<int>{kOdd});
        if (check) CHECK(lacks(ends[rank].text, {"rank 1 calls dp #2", "contents B"}) == "");
      }
    }
}

TEST_CASE("processes: what is left of a frame that was late goes out ahead of the next one") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const auto channel = channel_of_socket(ends[0]), reader = channel_of_socket(ends[1]);
  const auto in = [](int ms) { return SteadyClock::now() + std::chrono::milliseconds(ms); };
  const auto write = [&](const std::string& header, const std::string& body, TimePoint until) {
    return channel->write_behind(std::as_bytes(std::span(header)), body.data(), body.size(), until);
  };
  const std::string large(size_t{8} << 20, 'b');  // more than the system takes for who does not read
  CHECK(write("first ", large, in(20)) == Channel::Written::kLate);
  CHECK(write("second", "lost", in(20)) == Channel::Written::kLate);  // not begun
  std::string read(6 + large.size() + 6 + 3, ' ');
  std::thread reads([&] { CHECK(reader->read(read.data(), read.size())); });
  CHECK(write("third ", "new", in(20'000)) == Channel::Written::kAll);
  channel->shut();  // else who reads would wait for what was lost
  reads.join();
  CHECK((read == "first " + large + "third new"));
  CHECK(channel->keeps_rest());
}
