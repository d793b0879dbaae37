// Trainings that break, watched: how they ended, who is missing, and what is written down of it.
#include "ringside/train/watched.h"

#include <set>

#include "catch.h"
#include "patience.h"
#include "ringside/trace/hang_rows.h"
#include "ringside/trace/measure.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr std::chrono::milliseconds kHangs{1000}, kIsWell = kPatience;  // no busy machine makes it late

// Two groups, no agreement between steps, no check: silence, then the watchdog.
WatchedSetup silent(LoopMistake mistake = {}, std::chrono::milliseconds timeout = kHangs) {
  WatchedSetup setup{tiny_config(3, 0)};
  setup.config.two_groups = true;
  setup.config.agree_on_steps = setup.config.check = false;
  setup.config.timeout = timeout;
  setup.config.evaluate_every = 1;
  setup.mistake = std::move(mistake);
  return setup;
}

struct Watch {
  explicit Watch(const WatchedSetup& setup) : data(tiny_data()) {
    result = train_watched(setup, data, *store, "run", control);
    trace = store->snapshot();
  }
  const SectionView& section() const { return *trace.find("run"); }
  std::string of(const char* key) const { return attribute(section(), key); }
  const Dataset data;
  const std::shared_ptr<TraceStore> store = TraceStore::create("watched");
  RunControl control;
  Watched result;
  Trace trace;
};

}  // namespace

TEST_CASE("a watched training that is well completes, and nothing is stuck") {
  const Watch watch(silent({}, kIsWell));
  CHECK(watch.result.ended == "completed");
  CHECK(watch.result.training.complete);
  CHECK(watch.result.report.stuck.empty());
  CHECK(watch.of(kEnded) == "completed");
  CHECK(watch.of(kStuck) == "");
  CHECK(number_in(watch.section(), kDeadlineMs) == kIsWell.count());
}

TEST_CASE("if rank 0 alone adds up: the others wait in the next gradients, and mended it completes") {
  LoopMistake mistake{LoopMistake::Kind::kReducesAlone, 0};
  const Watch watch(silent(mistake));
  CHECK(watch.result.ended == "timeout");
  CHECK(watch.of(kSuspects) == "0");
  CHECK(watch.of("by_majority") == "yes");
  CHECK(watch.of(kStuckTag) == "gradients");
  CHECK(watch.of(kMissing) == "0");
  CHECK(watch.of(kShownLog).starts_with("[rank1] Watchdog caught collective operation timeout"));
  std::set<std::string> groups;
  for (const RankWait& wait : rows_as<RankWait>(watch.section())) groups.insert(wait.group);
  CHECK(groups == std::set<std::string>{"default", "dp"});  // a cycle over both
  const auto stacks = rows_as<StackOfRank>(watch.section());
  REQUIRE(stacks.size() == 3);
  CHECK(stacks[0].stack.find("add up counts > all_reduce of group default") != std::string::npos);
  const auto last = rows_as<LastOfRank>(watch.section());
  REQUIRE(last.size() == 3);
  CHECK(last[1].log.find("last enqueued NCCL work:") != std::string::npos);
  mistake.mended = true;
  CHECK(Watch(silent(mistake, kIsWell)).result.ended == "completed");
}

TEST_CASE(
    "a rank that stays away longer than the deadline is missing; a barrier ahead moves the hang to it") {
  LoopMistake mistake{LoopMistake::Kind::kStays, 2, "save checkpoint", std::chrono::seconds(20)};
  const Watch watch(silent(mistake));
  CHECK(watch.of(kSuspects) == "2");
  CHECK(watch.of(kStuckTag) == "gradients");
  CHECK(rows_as<StackOfRank>(watch.section()).at(2).stack.find("save checkpoint") != std::string::npos);
  mistake.barrier_ahead = true;
  const Watch barrier(silent(mistake));
  CHECK(barrier.of(kSuspects) == "2");
  CHECK(barrier.of(kStuckTag) == "barrier");
}

TEST_CASE("a silent kill leaves no dump, and a struck call is named") {
  WatchedSetup killed = silent();
  killed.faults.faults = {
      {.kind = FaultKind::kKill, .rank = 1, .step = 1, .tag = "gradients", .silent = true}};
  const Watch watch(killed);
  CHECK(watch.of(kSuspects) == "1");
  CHECK(watch.of("certain") == "yes");
  CHECK_FALSE(rows_as<LastOfRank>(watch.section()).at(1).dumped);
  WatchedSetup other = silent({}, kIsWell);
  other.faults.faults = {
      {.kind = FaultKind::kOtherTensor, .rank = 2, .step = 1, .tag = "gradients", .call = 1}};
  const Watch unnoticed(other);
  CHECK(unnoticed.result.ended == "completed");
  const auto struck = rows_as<StruckCall>(unnoticed.section());
  REQUIRE(struck.size() == 1);
  CHECK(struck[0].rank == 2);
  CHECK(struck[0].what == "other_tensor");
}

TEST_CASE("a cancelled watched training is no result") {
  RunControl control;
  control.cancel();
  const Dataset data = tiny_data();
  const auto store = TraceStore::create("cancelled");
  CHECK_THROWS_AS(train_watched(silent(), data, *store, "run", control), CancelledError);
}
