// Each fault, at the call that the plan names and nowhere else.
#include <catch.h>

#include "at_once.h"
#include "patience.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/launch.h"
#include "ringside/faults/injector.h"
#include "thread_group.h"

using namespace ringside;
using namespace ringside::testing;
using std::chrono::milliseconds;

namespace {

constexpr int kRanks = 3;
constexpr int64_t kSteps = 3;
constexpr FaultMoment kMoments[] = {FaultMoment::kBefore, FaultMoment::kInside, FaultMoment::kAfter};

struct Ended {
  std::string how = "never struck";  // the error's type, or "fine"
  std::vector<int> ranks;
  std::vector<float> sums;  // one a step
};

// Three steps of two all-reduces each; the second, of 1 + rank + step, is kept.
std::vector<Ended> run_with(const Fault& fault, milliseconds timeout = milliseconds(20000),
                            bool check = true) {
  FaultInjector injector({{fault}}, kRanks);
  ThreadGroupOptions options;
  options.timeout = timeout;
  options.check = check;
  options.check_finite = check;
  auto groups = make_thread_group(kRanks, options);
  for (auto& group : groups) group = injector.wrap(std::move(group));
  std::vector<Ended> ended(kRanks, Ended{"fine", {}, {}});
  const auto body = [&](ProcessGroup& group) {
    const int rank = group.rank();
    for (int64_t step = 0; step < kSteps; ++step) {
      injector.begin_step(rank, step);
      std::vector<float> bucket(2000, 1.0f);
      group
          .all_reduce({bucket.data(), 2000, Dtype::kFloat32}, {"gradients", "bucket 0", true}, ReduceOp::kSum)
          ->wait();
      float sums[2] = {static_cast<float>(1 + rank + step), 0};
      group.all_reduce({sums, 2, Dtype::kFloat32}, {"metrics", ""}, ReduceOp::kSum)->wait();
      ended[rank].sums.push_back(sums[0]);
    }
    group.barrier({"close", ""})->wait();
  };
  run_ranks(
      kRanks,
      [&](int rank) {
        const auto wake_all = [&](const char* why) {
          groups[rank]->abort(why);
          injector.wake();
        };
        try {
          body(*groups[rank]);
        } catch (const RankKilled& killed) {
          ended[rank].how = "killed";
          if (!killed.silent) wake_all(killed.what());
        } catch (const PlannedError& error) {
          ended[rank].how = "raised";
          wake_all(error.what());
        } catch (const CollectiveError& error) {
          ended[rank].ranks = error.ranks();
          ended[rank].how = error.code() == ExitCode::kTimeout    ? "timeout"
                            : error.code() == ExitCode::kMismatch ? "mismatch"
                            : error.code() == ExitCode::kPeerLost ? "peer lost"
                                                                  : "not finite";
          wake_all(error.what());
        }
      },
      [](int, const std::string&) {});
  return injector.struck() == (fault.step == kEvery ? kSteps : 1) ? ended : std::vector<Ended>(kRanks);
}

Fault at(FaultKind kind, int64_t step = 1, const std::string& tag = "gradients") {
  return {.kind = kind, .rank = 1, .step = step, .tag = tag};
}

}  // namespace

TEST_CASE("a stale call brings what came of it the time before, the first time its own") {
  const auto ended = run_with(at(FaultKind::kStale, kEvery, "metrics"));
  CHECK(ended[0].sums == std::vector<float>{6, 9, 12});
  CHECK(ended[1].sums == std::vector<float>{6, 6, 9});
}

TEST_CASE("every rank, step and call of a plan is struck; one call of every step is counted in each") {
  const Tag norm{"norm", ""}, loss{"loss", ""};
  FaultInjector all(
      {{{.kind = FaultKind::kSkip, .rank = kEvery, .step = kEvery, .tag = "norm", .call = kEvery}}}, kRanks);
  FaultInjector second({{{.rank = kEvery, .step = kEvery, .call = 1}}}, kRanks);
  CHECK((all.plans(FaultKind::kSkip, 7) && all.plans(FaultKind::kSkip, 7, 2)));
  for (int64_t step = 0; step < 2; ++step)
    for (int rank = 0; rank < kRanks; ++rank) {
      all.begin_step(rank, step);
      second.begin_step(rank, step);
      for (int call = 0; call < 3; ++call) {
        CHECK(all.next(rank, "dp", norm) != nullptr);
        CHECK(all.next(rank, "dp", loss) == nullptr);
        CHECK((second.next(rank, "dp", norm) != nullptr) == (call == 1));
      }
    }
}

TEST_CASE("a skip in the very last collective is seen when the group is closed") {
  for (const Ended& end : run_with(at(FaultKind::kSkip, kSteps - 1, "metrics"))) {
    CHECK(end.how == "mismatch");
    CHECK(end.ranks == std::vector<int>{1});
  }
}

TEST_CASE("delays and stops time out without that rank, short ones change nothing") {
  std::vector<Fault> faults;
  for (const FaultKind kind : {FaultKind::kDelay, FaultKind::kStop})
    for (const FaultMoment when : kMoments) {
      faults.push_back(at(kind));
      faults.back().when = when;
      faults.back().time = 2 * kPatience;
    }
  const auto start = SteadyClock::now();
  const auto ended = at_once(faults, [](const Fault& fault) { return run_with(fault, milliseconds(500)); });
  CHECK(SteadyClock::now() - start < kPatience);  // the sleeps were cut short
  for (size_t i = 0; i < faults.size(); ++i) {
    CAPTURE(in_words(faults[i]));
    for (const Ended& end : ended[i]) {
      CHECK(end.how == "timeout");
      CHECK(end.ranks == std::vector<int>{1});
    }
  }
  Fault fault = at(FaultKind::kDelay);
  fault.time = milliseconds(20);
  for (const FaultMoment when : kMoments) {
    fault.when = when;
    for (const Ended& end : run_with(fault)) {
      CHECK(end.how == "fine");
      CHECK(end.sums == std::vector<float>{6, 9, 12});
    }
  }
}

TEST_CASE("kill and raise lose a peer; a kill that nobody notices ends at the deadline") {
  for (const FaultKind kind : {FaultKind::kKill, FaultKind::kRaise})
    for (const FaultMoment when : kMoments) {
      CAPTURE(to_string(kind), to_string(when));
      Fault fault = at(kind);
      fault.when = when;
      const auto ended = run_with(fault);
      CHECK(ended[1].how == (kind == FaultKind::kKill ? "killed" : "raised"));
      for (const int rank : {0, 2}) {
        CHECK(ended[rank].how == "peer lost");
        CHECK(ended[rank].ranks == std::vector<int>{1});
      }
    }
  Fault fault = at(FaultKind::kKill);
  fault.silent = true;
  const auto ended = run_with(fault, milliseconds(500));
  CHECK(ended[1].how == "killed");
  CHECK(ended[0].how == "timeout");
  CHECK(ended[2].ranks == std::vector<int>{1});
}

TEST_CASE("NaN is named on its rank with the check; another tensor of the same size is not seen") {
  for (const Ended& end : run_with(at(FaultKind::kNan))) {
    CHECK(end.how == "not finite");
    CHECK(end.ranks == std::vector<int>{1});
  }
  for (const Ended& end : run_with(at(FaultKind::kNan, 1, "metrics"), milliseconds(20000), false)) {
    CHECK(end.how == "fine");
    REQUIRE(end.sums.size() == 3);
    CHECK(std::isnan(end.sums[1]));
    CHECK(end.sums[2] == 12);
  }
  for (const Ended& end : run_with(at(FaultKind::kOtherTensor, 1, "metrics"))) {
    CHECK(end.how == "fine");
    CHECK(end.sums == std::vector<float>{6, 6, 12});  // rank 1's 3 stood in the other element
  }
}

TEST_CASE("a fault names a rank of the world and the n-th call that matches") {
  Fault fault = at(FaultKind::kSkip);
  fault.rank = 3;
  CHECK_THROWS_AS(FaultInjector({{fault}}, 3), UsageError);
  FaultInjector injector({{{.kind = FaultKind::kSkip, .rank = 2, .step = 0}}}, 4);
  auto handles = make_thread_group(std::vector<int>{1, 2}, {});
  for (auto& handle : handles) handle = injector.wrap(std::move(handle));
  for (const int rank : {1, 2}) injector.begin_step(rank, 0);
  const WorkPtr skipped = handles[1]->barrier({});
  CHECK(skipped->done());
  CHECK(injector.struck() == 1);
  const WorkPtr first = handles[0]->barrier({}), second = handles[1]->barrier({});
  wait_all({first, second});
  CHECK(injector.struck() == 1);
  Fault nth = at(FaultKind::kNan, 1, "");
  nth.call = 1;  // the metrics, after the gradients
  const auto ended = run_with(nth, milliseconds(20000), false);
  CHECK(std::isnan(ended[0].sums.at(1)));
}
