// Worlds: groups over any ranks, made on first use; how a run ends.
#include <catch.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>

#include "check_text.h"
#include "patience.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/wiring.h"
#include "ringside/flight/report.h"
#include "ringside/world/world.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kRanks = 4;

double sum_over(ProcessGroup& group, double own) {
  group.all_reduce({&own, 1, Dtype::kFloat64}, {"example", ""})->wait();
  return own;
}

// How each rank ended: the ranks that its error names and its text; what run_world itself threw is left
// aside.
struct End {
  std::string type = "fine";
  std::vector<int> ranks;
  std::string text;
};
std::vector<End> ends_of(WorldOptions options, const std::function<void(World&)>& rank_main) {
  std::vector<End> ends(static_cast<size_t>(options.ranks));
  options.hooks.on_rank_end = [&](int rank, const std::exception_ptr& error) {
    if (!error) return;
    try {
      std::rethrow_exception(error);
    } catch (const MismatchError& mismatch) {
      ends[static_cast<size_t>(rank)] = {"mismatch", mismatch.ranks(), mismatch.what()};
    } catch (const PeerLostError& lost) {
      ends[static_cast<size_t>(rank)] = {"lost", lost.ranks(), lost.what()};
    } catch (const TimeoutError& late) {
      ends[static_cast<size_t>(rank)] = {"timeout", late.ranks(), late.what()};
    } catch (const std::exception& other) {
      ends[static_cast<size_t>(rank)] = {"other", {}, other.what()};
    }
  };
  try {
    run_world(options, rank_main);
  } catch (...) {
    // Each rank's own end is noted.
  }
  return ends;
}

std::vector<int> pair_of(int rank) { return rank < 2 ? std::vector<int>{0, 1} : std::vector<int>{2, 3}; }

// One rank, which cannot say what it has recorded.
class Mute final : public ProcessWiring {
 public:
  std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                     int place) override {
    return wiring_->connect(name, ranks, place);
  }
  void abort(int rank, const Failure& failure) override { wiring_->abort(rank, failure); }
  int rank() const override { return 0; }
  int size() const override { return 1; }
  Shared share(const std::string&, TimePoint) override {
    throw Error(ExitCode::kMismatch, "the store is full");
  }

 private:
  const std::unique_ptr<Wiring> wiring_ = make_thread_wiring({});
};

}  // namespace

TEST_CASE("what goes wrong when a run is over hides no error of the run") {
  const WorldOptions options{.ranks = 1, .hooks = {.process = std::make_shared<Mute>()}};
  const auto said = [&](const std::function<void(World&)>& rank_main) {
    return message_of<Error>([&] { run_world(options, rank_main); });
  };
  CHECK(said([](World&) { throw InputError("the disk is full"); }) == "the disk is full");
  CHECK(said([](World&) {}) == "the store is full");
}

TEST_CASE("a 2x2 mesh: rows, columns and the whole sum over their own ranks") {
  std::mutex mutex;
  std::map<int, std::vector<double>> sums;
  run_world({.ranks = kRanks}, [&](World& world) {
    const int row = world.rank() / 2, column = world.rank() % 2;
    const std::vector<double> mine = {sum_over(world.group("row", {2 * row, 2 * row + 1}), world.rank()),
                                      sum_over(world.group("column", {column, column + 2}), world.rank()),
                                      sum_over(world.group("all"), world.rank())};
    const std::lock_guard lock(mutex);
    sums[world.rank()] = mine;
  });
  CHECK(sums[0] == std::vector<double>{1, 2, 6});
  CHECK(sums[1] == std::vector<double>{1, 4, 6});
  CHECK(sums[2] == std::vector<double>{5, 2, 6});
  CHECK(sums[3] == std::vector<double>{5, 4, 6});
}

TEST_CASE("places count anew in a group; messages and roots go by place, records by rank of the world") {
  const auto store = TraceStore::create("test");
  WorldOptions options{.ranks = kRanks};
  // Rank 2 asks for a group that it is not in.
  CHECK_THROWS_AS(run_world({.ranks = 4},
                            [](World& world) {
                              if (world.rank() == 2) world.group("tail", {1, 3});
                            }),
                  UsageError);
  options.recorders = store->add_section("tail", {}, kRanks);
  run_world(options, [](World& world) {
    if (world.rank() % 2 == 0) return;
    ProcessGroup& group = world.group("tail", {1, 3});
    double value = world.rank();
    if (group.rank() != world.rank() / 2) throw std::runtime_error("a wrong place");
    group.broadcast({&value, 1, Dtype::kFloat64}, 1, {"root", ""})->wait();
    if (value != 3) throw std::runtime_error("a wrong root");
    if (group.rank() == 0) group.send({&value, 1, Dtype::kFloat64}, 1, {"message", ""})->wait();
    if (group.rank() == 1) group.recv({&value, 1, Dtype::kFloat64}, 0, {"message", ""})->wait();
  });
  const Trace trace = store->snapshot();
  for (const CollectiveEvent& event : trace.find("tail")->collectives(1)) CHECK(event.peer == 3);
  CHECK(trace.find("tail")->collectives(0).size() == 0);
}

TEST_CASE("a rank is in one group of a name, and ranks are given in order") {
  const auto refused = [](std::vector<int> first, std::vector<int> second) {
    try {
      run_world({.ranks = 3}, [&](World& world) {
        if (world.rank() != 1) return;
        world.group("g", first);
        world.group("g", second);
      });
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused({0, 1}, {0, 1}) == "");
  CHECK(lacks(refused({0, 1}, {1, 2}), {"rank 1 is in group g of ranks 0 and 1 already"}) == "");
  CHECK(lacks(refused({2, 1}, {}), {"group g of ranks 2 and 1", "ascend"}) == "");
  CHECK(lacks(refused({1, 3}, {}), {"are of 0 to 2"}) == "");
}

TEST_CASE("check on: another call in one of two groups blames the right rank of the world, in that group") {
  const std::vector<int> trio = {1, 2, 3};
  for (const bool of_pairs : {true, false})
    for (const int odd : {2, 3}) {
      const auto ends = ends_of({.ranks = kRanks, .timeout = 2 * kPatience}, [&](World& world) {
        if (!of_pairs && world.rank() == 0) return;
        ProcessGroup& group = world.group("tp", of_pairs ? pair_of(world.rank()) : trio);
        for (int call = 0; call < 3; ++call) {
          if (world.rank() == odd && call == 1) group.barrier({})->wait();
          sum_over(group, 1);
        }
      });
      CHECK(ends[0].type == "fine");
      CHECK(ends[1].type == (of_pairs ? "fine" : "mismatch"));
      for (const int rank : {2, 3}) {
        CAPTURE(of_pairs, odd, ends[static_cast<size_t>(rank)].text);
        CHECK(ends[static_cast<size_t>(rank)].type == "mismatch");
        // Of two that disagree either may be wrong.
        CHECK(ends[static_cast<size_t>(rank)].ranks ==
              (of_pairs ? std::vector<int>{2, 3} : std::vector<int>{odd}));
        CHECK(ends[static_cast<size_t>(rank)].text.find("rank " + std::to_string(odd) +
                                                        " calls tp #1 barrier") != std::string::npos);
      }
    }
}

TEST_CASE("check off: a rank that stops calling is named by its rank of the world, at the deadline") {
  std::atomic<bool> is_over = false;
  const WorldOptions options{.ranks = kRanks, .timeout = std::chrono::seconds(1), .check = false};
  const auto ends = ends_of(options, [&](World& world) {
    ProcessGroup& pair = world.group("tp", pair_of(world.rank()));
    sum_over(pair, 1);
    try {
      if (world.rank() != 2) sum_over(pair, 1);
    } catch (const TimeoutError&) {
      is_over = true;
      throw;
    }
    if (world.rank() == 2) eventually([&] { return is_over.load(); });
  });
  CHECK(ends[3].type == "timeout");
  CHECK(ends[3].ranks == std::vector<int>{2});
  CHECK(ends[0].type == "fine");
}

TEST_CASE("a cycle of waits over groups of different ranks is found, and no chain is taken for one") {
  // Ranks 0 and 1 wait in "a" for rank 2, which waits in "b" for rank 1: a cycle of two. Rank 3 has no part
  // in it.
  const TimePoint start = SteadyClock::now();
  const auto ends = ends_of({.ranks = kRanks, .timeout = 4 * kPatience}, [](World& world) {
    if (world.rank() == 3) return;
    if (world.rank() == 2) {
      sum_over(world.group("b", {1, 2}), 1);
      sum_over(world.group("a", {0, 1, 2}), 1);
    } else {
      sum_over(world.group("a", {0, 1, 2}), 1);
      if (world.rank() == 1) sum_over(world.group("b", {1, 2}), 1);
    }
  });
  CHECK(SteadyClock::now() - start < kPatience);
  CHECK(ends[3].type == "fine");
  for (const int rank : {0, 1, 2}) {
    CAPTURE(rank, ends[static_cast<size_t>(rank)].text);
    CHECK(ends[static_cast<size_t>(rank)].type == "mismatch");
    CHECK(ends[static_cast<size_t>(rank)].text.find("a cycle of waits") != std::string::npos);
  }
}

TEST_CASE("one of a pair skips a call, and all meet in the large group: the other one is not blamed") {
  // Rounds: both pairs, then all ranks. What the flight recorders tell afterwards.
  const auto skipped_by = [](int odd, bool check) {
    std::vector<std::unique_ptr<FlightRecorder>> flights;
    WorldOptions options{.ranks = kRanks, .timeout = std::chrono::seconds(1), .check = check};
    for (int rank = 0; rank < kRanks; ++rank)
      options.hooks.flights.push_back(flights.emplace_back(std::make_unique<FlightRecorder>(rank)).get());
    const auto ends = ends_of(options, [odd](World& world) {
      const int first = world.rank() % 2;
      ProcessGroup& pair = world.group(first == 0 ? "even" : "odd", {first, first + 2});
      ProcessGroup& all = world.group("all");
      for (int round = 0; round < 5; ++round) {
        if (world.rank() != odd || round < 4) sum_over(pair, 1);
        sum_over(all, 1);
      }
    });
    std::vector<FlightDump> dumps;
    for (const auto& flight : flights) dumps.push_back(flight->dump());
    const FlightReport report = merge_flights(dumps);
    std::vector<int> named = report.suspects.empty() ? report.possible : report.suspects;
    if (check) named.insert(named.end(), ends[0].ranks.begin(), ends[0].ranks.end());
    return std::pair(named, report.sentence + ends[0].text);
  };
  std::array<std::pair<std::vector<int>, std::string>, 2 * kRanks> told;
  {
    std::vector<std::jthread> at_once;
    for (size_t i = 0; i < told.size(); ++i)
      at_once.emplace_back([&, i] { told[i] = skipped_by(static_cast<int>(i) % kRanks, i >= kRanks); });
  }
  for (size_t i = 0; i < told.size(); ++i) {
    const auto& [named, text] = told[i];
    const int odd = static_cast<int>(i) % kRanks, other = (odd + 2) % kRanks;
    CAPTURE(odd, text);
    CHECK(std::ranges::count(named, odd) > 0);
    // With the check on a slow machine sees the cycle before the other pair has come.
    const bool may_be_early = i >= kRanks && std::ranges::count(named, other) > 0;
    for (const int rank : named) CHECK((rank == odd || may_be_early));
    CHECK(lacks(text, {"a cycle of waits"}) == "");
    CHECK(text.find(", which wait in") == std::string::npos);  // one rank waits in each call
  }
}

TEST_CASE("one rank in another group's collective is told at once, and named") {
  for (int odd = 0; odd < kRanks; ++odd) {
    const auto ends = ends_of({.ranks = kRanks, .timeout = 4 * kPatience}, [odd](World& world) {
      ProcessGroup& dp = world.group("dp");
      ProcessGroup& common = world.group("default");
      sum_over(dp, 1);
      sum_over(world.rank() == odd ? dp : common, 1);
    });
    for (const End& end : ends) {
      CAPTURE(odd, end.text);
      CHECK(end.type == "mismatch");
      CHECK(end.text.find("a cycle of waits") != std::string::npos);
      CHECK(std::find(end.ranks.begin(), end.ranks.end(), odd) != end.ranks.end());
    }
  }
}

TEST_CASE("groups called in another order on each rank, without waiting in between, are no cycle") {
  run_world({.ranks = 3, .timeout = 2 * kPatience}, [](World& world) {
    for (int round = 0; round < 100; ++round) {
      ProcessGroup& a = world.group(world.rank() % 2 == 0 ? "a" : "b");
      ProcessGroup& b = world.group(world.rank() % 2 == 0 ? "b" : "a");
      TypedBuffer first(Dtype::kFloat32, 700), second(Dtype::kFloat32, 3);
      TypedBuffer& of_a = world.rank() % 2 == 0 ? first : second;
      TypedBuffer& of_b = world.rank() % 2 == 0 ? second : first;
      const WorkPtr one = a.all_reduce(of_a.view(), {});
      if (round % 20 == world.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(40));
      const WorkPtr two = b.all_reduce(of_b.view(), {});
      one->wait();
      two->wait();
    }
  });
}

TEST_CASE("a rank that throws is lost to the groups it is in, those too that are made after it") {
  const auto ends = ends_of({.ranks = kRanks, .timeout = 2 * kPatience}, [](World& world) {
    if (world.rank() == 1) throw std::runtime_error("out of luck");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    sum_over(world.group("late", pair_of(world.rank())), 1);
  });
  CHECK(ends[1].text == "out of luck");
  CHECK(ends[0].type == "lost");
  CHECK(ends[0].ranks == std::vector<int>{1});
  for (const size_t rank : {2, 3}) CHECK(ends[rank].type == "fine");
}

TEST_CASE("what is kept outlives an exception until the groups are broken off, and goes on its own thread") {
  struct Kept {
    Kept(std::atomic<int>& count, ProcessGroup& in)
        : gone(count), group(in), thread(std::this_thread::get_id()) {}
    ~Kept() {
      CHECK(thread == std::this_thread::get_id());
      bool broken = false;
      try {
        group.barrier({})->wait();
      } catch (const PeerLostError&) {
        broken = true;
      }
      gone += broken ? 1 : 100;
    }
    std::atomic<int>& gone;
    ProcessGroup& group;
    std::thread::id thread;
  };
  std::atomic<int> gone = 0;
  CHECK_THROWS_WITH(run_world({.ranks = 1},
                              [&](World& world) {
                                world.make<Kept>(gone, world.group("dp"));
                                throw std::runtime_error("planted");
                              }),
                    "planted");
  CHECK(gone == 1);
}

TEST_CASE("cancelling breaks every group off, wherever the ranks are") {
  RunControl control;
  WorldOptions options{.ranks = 2, .timeout = 2 * kPatience};
  options.cancel = &control;
  CHECK_THROWS_AS(run_world(options,
                            [&](World& world) {
                              if (world.rank() == 0) control.cancel();
                              while (true) sum_over(world.group("dp"), 1);
                            }),
                  CancelledError);
}

TEST_CASE("the groups of a mesh are made by name, and a mesh of another size is refused") {
  const Mesh mesh = Mesh::parse("dp2,tp2", 4);
  run_world({.ranks = 4}, [&](World& world) {
    double sum = world.rank();
    world.group(mesh, {"tp"}).all_reduce({&sum, 1, Dtype::kFloat64}, {})->wait();
    CHECK(sum == (world.rank() < 2 ? 1 : 5));
    CHECK(world.group(mesh, {"dp", "tp"}).name() == "dp+tp");
    CHECK(world.group(mesh, {"dp", "tp"}).size() == 4);
    CHECK_THROWS_WITH(world.group(Mesh::parse("dp3", 3), {"dp"}), "mesh=dp3 has 3 ranks, and the run has 4");
  });
}
