#include "ringside/session/step_bench.h"

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

namespace {

// Two timers that write down whose step it was.
struct Sides {
  std::string order;
  double a_ms = 10, b_ms = 20;
  StepTimer a{"a", [this] { return take('a', a_ms); }}, b{"b", [this] { return take('b', b_ms); }};
  double take(char side, double ms) {
    order += side;
    return ms;
  }
};

StepBench bench(Sides& sides, const StepBenchOptions& options, size_t stop_after = 1000) {
  return bench_steps(
      sides.a, sides.b, options, [&] { return sides.order.size() >= stop_after; }, [](const Progress&) {});
}

}  // namespace

TEST_CASE("both warm up, then rounds change their order") {
  Sides sides;
  const StepBench result = bench(sides, {.rounds = 4, .steps = 1, .warm_up = 2});
  CHECK(sides.order ==
        "aabb"
        "abbaabba");
  CHECK(result.complete);
  CHECK(result.a_ms == std::vector<double>(4, 10));
  CHECK(result.b_ms == std::vector<double>(4, 20));
}

TEST_CASE("a round's time is the mean of its steps, and the warm-up is not in it") {
  Sides sides;
  double ms = 0;
  sides.a.step_ms = [&] { return ms += 1; };
  const StepBench result = bench(sides, {.rounds = 2, .steps = 3, .warm_up = 1});
  CHECK(result.a_ms == std::vector<double>{3, 6});  // 2 3 4, 5 6 7
  CHECK(sides.order ==
        "b"
        "bbb"
        "bbb");
}

TEST_CASE("without a number of rounds, as many as fit into half a minute, within bounds") {
  const auto rounds = [](double a_ms, double b_ms, int64_t steps) {
    Sides sides;
    sides.a_ms = a_ms;
    sides.b_ms = b_ms;
    return bench(sides, {.rounds = {}, .steps = steps, .warm_up = 2}).a_ms.size();
  };
  CHECK(rounds(10, 20, 1) == 60);
  CHECK(rounds(500, 1000, 1) == 20);
  CHECK(rounds(500, 1000, 2) == 10);
  CHECK(rounds(60'000, 60'000, 1) == 6);
}

TEST_CASE("stopped, it keeps whole rounds") {
  Sides sides;
  const StepBench result = bench(sides, {.rounds = 4, .steps = 1, .warm_up = 1}, 2 + 3);
  CHECK_FALSE(result.complete);
  CHECK(result.a_ms.size() == 1);
  CHECK(result.b_ms.size() == 1);
  CHECK(sides.order ==
        "ab"
        "abb");
}

TEST_CASE("progress counts every step, and a step's error goes through") {
  Sides sides;
  std::vector<int64_t> done;
  int64_t total = 0;
  bench_steps(
      sides.a, sides.b, {.rounds = 2, .steps = 2, .warm_up = 1}, [] { return false; },
      [&](const Progress& progress) {
        done.push_back(progress.done);
        total = progress.total;
      });
  CHECK(total == 10);
  CHECK(done == std::vector<int64_t>{3, 4, 5, 6, 7, 8, 9, 10});
  sides.b.step_ms = []() -> double { throw InputError("planted"); };
  CHECK_THROWS_AS(bench(sides, {.rounds = 2}), InputError);
}
