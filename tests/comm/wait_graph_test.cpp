// Cycles of waits across groups: found when they close, and only then.
#include <catch.h>

#include "on_ranks.h"
#include "patience.h"
#include "ringside/base/clock.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/wait_graph.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

Fingerprint call_of(const std::string& group, int64_t seq) { return {.group = group, .seq = seq}; }

// What a graph told, by group.
struct Told {
  std::vector<WaitCycle> cycles;
  std::function<void(const WaitCycle&)> listener() {
    return [this](const WaitCycle& cycle) { cycles.push_back(cycle); };
  }
};

// Both groups of a run, whose every rank sees them through one wait graph.
struct TwoGroups {
  std::vector<std::unique_ptr<ProcessGroup>> dp, world;
  explicit TwoGroups(int size, std::chrono::milliseconds timeout = 2 * kPatience) {
    ThreadGroupOptions options;
    options.timeout = timeout;
    options.waits = std::make_shared<WaitGraph>(size);
    dp = make_thread_group(size, options);
    options.name = "default";
    world = make_thread_group(size, options);
  }
};

void reduce(ProcessGroup& group) {
  TypedBuffer buffer(Dtype::kFloat32, 2000);
  group.all_reduce(buffer.view(), {}, ReduceOp::kSum)->wait();
}

}  // namespace

TEST_CASE("a cycle over two groups is described, and points at the fewer") {
  WaitGraph graph(4);
  Told told;
  const int dp = graph.add_group(told.listener()), world = graph.add_group(told.listener());
  graph.called(3, dp);
  for (const int rank : {0, 1, 2}) graph.called(rank, world);
  const WaitGraph::Blocked a(graph, 3, dp, call_of("dp", 0));
  const WaitGraph::Blocked b(graph, 0, world, call_of("default", 0));
  REQUIRE(told.cycles.size() == 2);  // 3 waits for 0, 0 for 3: each group is told
  CHECK(told.cycles[0].fewest == std::vector<int>{0, 3});
  const WaitGraph::Blocked c(graph, 1, world, call_of("default", 0));
  const WaitGraph::Blocked d(graph, 2, world, call_of("default", 0));
  REQUIRE(told.cycles.size() == 6);
  const WaitCycle& cycle = told.cycles.back();
  REQUIRE(cycle.stuck.size() == 2);
  CHECK(cycle.stuck[0].ranks == std::vector<int>{0, 1, 2});
  CHECK(cycle.stuck[0].missing == std::vector<int>{3});
  CHECK(cycle.stuck[1].ranks == std::vector<int>{3});
  CHECK(cycle.stuck[1].missing == std::vector<int>{0, 1, 2});
  CHECK(cycle.fewest == std::vector<int>{3});
  CHECK(cycle.text ==
        "a cycle of waits: ranks 0, 1 and 2 wait at default #0 barrier for rank 3; rank 3 waits at dp #0 "
        "barrier for ranks 0, 1 and 2");
}

TEST_CASE("a chain of waits is no cycle: its end may still come") {
  WaitGraph graph(3);
  Told told;
  const int dp = graph.add_group(told.listener()), world = graph.add_group(told.listener());
  graph.called(0, dp);
  graph.called(1, world);
  const WaitGraph::Blocked a(graph, 0, dp, call_of("dp", 0));
  {
    const WaitGraph::Blocked b(graph, 1, world, call_of("default", 0));
    CHECK(told.cycles.size() == 2);  // 0 and 1 wait for each other
  }
  told.cycles.clear();
  graph.called(1, dp);
  graph.called(2, dp);
  const WaitGraph::Blocked b(graph, 1, dp, call_of("dp", 0));  // everybody has called: it will complete
  CHECK(told.cycles.empty());
}

TEST_CASE("ranks that are ahead in one group do not wait for each other") {
  WaitGraph graph(2);
  Told told;
  const int dp = graph.add_group(told.listener());
  for (int call = 0; call < 3; ++call) graph.called(0, dp);
  graph.called(1, dp);
  const WaitGraph::Blocked ahead(graph, 0, dp, call_of("dp", 2));
  const WaitGraph::Blocked behind(graph, 1, dp, call_of("dp", 0));
  CHECK(told.cycles.empty());
}

TEST_CASE("one rank in another group's collective: all are told at once, with the ranks") {
  for (int odd = 0; odd < 4; ++odd) {
    TwoGroups groups(4);
    const auto start = SteadyClock::now();
    std::vector<std::string> errors(4);
    std::vector<std::vector<int>> blamed(4);
    run_ranks(
        4,
        [&](int rank) {
          reduce(*groups.dp[rank]);
          try {
            reduce(rank == odd ? *groups.dp[rank] : *groups.world[rank]);
          } catch (const MismatchError& error) {
            errors[rank] = error.what();
            blamed[rank] = error.ranks();
          }
        },
        [](int, const std::string&) {});
    CHECK(SteadyClock::now() - start < kPatience);  // half of the deadlines
    for (int rank = 0; rank < 4; ++rank) {
      CAPTURE(odd, rank, errors[rank]);
      CHECK(errors[rank].find("a cycle of waits") != std::string::npos);
      CHECK(std::find(blamed[rank].begin(), blamed[rank].end(), odd) != blamed[rank].end());
    }
  }
}

TEST_CASE("two groups in the same order on every rank never meet a cycle") {
  TwoGroups groups(3);
  run_ranks(
      3,
      [&](int rank) {
        for (int round = 0; round < 200; ++round) {
          TypedBuffer first(Dtype::kFloat32, 700), second(Dtype::kFloat32, 3);
          const WorkPtr a = groups.dp[rank]->all_reduce(first.view(), {}, ReduceOp::kSum);
          const WorkPtr b = groups.world[rank]->all_reduce(second.view(), {}, ReduceOp::kSum);
          (round % 2 == 0 ? a : b)->wait();
          (round % 2 == 0 ? b : a)->wait();
        }
      },
      [&](int rank, const std::string& reason) { groups.dp[rank]->abort(reason); });
}
