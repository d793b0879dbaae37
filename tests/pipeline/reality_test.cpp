// The checker against reality: wrong schedules, at random, run over threads. Each that hangs is called so
// before, none that runs is; and each stage gets as far as the checker says.
#include <catch.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>

#include "at_once.h"
#include "ringside/base/error.h"
#include "ringside/comm/errors.h"
#include "ringside/pipeline/check.h"
#include "ringside/pipeline/run.h"
#include "ringside/world/world.h"
#include "stage_work.h"
#include "standstill.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Draw = std::mt19937_64;
int64_t below(Draw& draw, int64_t end) { return static_cast<int64_t>(draw() % static_cast<uint64_t>(end)); }

void change(Draw& draw, StepSchedule& list) {
  const auto a = list.begin() + below(draw, std::ssize(list)),
             b = list.begin() + below(draw, std::ssize(list));
  if (below(draw, 2) == 0)
    std::iter_swap(a, b);
  else if (a < b)
    std::rotate(a, a + 1, b + 1);
  else
    std::rotate(b, a, a + 1);
}

// Whether the forward, the backward and the weights' half of each micro-batch and chunk follow each other.
bool in_own_order(const StepSchedule& list) {
  std::map<std::pair<int64_t, int>, StepPass::Kind> last;
  for (const StepPass& pass : list) {
    const auto [at, first] = last.try_emplace({pass.micro, pass.chunk}, pass.kind);
    if (first ? pass.kind != StepPass::kForward : pass.kind < at->second) return false;
    at->second = pass.kind;
  }
  return true;
}

// A right schedule in which a few passes are swapped or moved to another place of their stage's list. Some
// need a later pass of their own list.
PipelineSchedule wrong_schedule(uint64_t seed) {
  Draw draw(seed);
  const auto& named = named_schedules();
  const NamedSchedule& known = named[static_cast<size_t>(below(draw, std::ssize(named)))];
  const int v = known.least_chunks + static_cast<int>(below(draw, known.most_chunks > 2 ? 2 : 1));
  const int p = 2 + static_cast<int>(below(draw, 3));
  PipelineSchedule schedule = known.make(p, 1 + below(draw, 4), std::min(v, 2));
  if (known.name == "gpipe" && schedule.chunks == 2 && below(draw, 2) == 0) schedule.order = ChunkOrder::kVee;
  for (int64_t changes = 1 + below(draw, 12); changes > 0; --changes) {
    StepSchedule& list = schedule.of_stage[static_cast<size_t>(below(draw, p))];
    const StepSchedule before = list;
    change(draw, list);
    if (!in_own_order(list) && below(draw, 20) != 0)
      list = before;  // most that need themselves: they are dull
  }
  return schedule;
}

struct RealRun {
  enum How { kRan, kStoodStill, kNeedsItself, kWrong } how = kWrong;
  std::vector<int64_t> done{};  // (p)
  std::string error{};
};

RealRun run_for_real_once(const PipelineSchedule& schedule, SendMode mode) {
  RealRun run;
  run.done.resize(schedule.of_stage.size());
  StandStill still(schedule.stages);
  WorldOptions options;
  options.ranks = schedule.stages;
  options.hooks.wrap_group = [&](std::unique_ptr<ProcessGroup> group) {
    return still.wrap(std::move(group));
  };
  try {
    run_world(options, [&](World& world) {
      auto& work = world.make<CountingWork>(schedule, world.rank());
      ProcessGroup& group = world.group("pp");
      PipelineRunOptions how;
      how.mode = mode;
      how.behind_pass = [&](const StepPass&) { ++run.done[static_cast<size_t>(world.rank())]; };
      run_step(schedule, &group, work, how);
      still.finished(world.rank(), &group);
    });
    run.how = RealRun::kRan;
  } catch (const UsageError& error) {
    run.how = RealRun::kNeedsItself;
  } catch (const std::exception& error) {
    run.how = still.seen() ? RealRun::kStoodStill : RealRun::kWrong;
    run.error = error.what();
  }
  return run;
}

struct Tally {
  int ran = 0, hung = 0, needed_itself = 0, disagree = 0;
};

// What the checker says, held against a run.
void compare(const PipelineSchedule& schedule, SendMode mode, Tally& tally) {
  const auto hang = find_hang(schedule, mode);
  const RealRun run = run_for_real_once(schedule, mode);
  tally.ran += run.how == RealRun::kRan;
  tally.hung += run.how == RealRun::kStoodStill;
  tally.needed_itself += run.how == RealRun::kNeedsItself;
  bool agrees = run.how != RealRun::kWrong && hang.has_value() == (run.how != RealRun::kRan);
  if (run.how == RealRun::kStoodStill && hang) agrees = agrees && hang->done == run.done;
  // A stage that would wait for itself ends the run while others may still get on.
  if (agrees) return;
  ++tally.disagree;
  UNSCOPED_INFO(text_of(schedule) << (mode == SendMode::kBlocking ? " blocking: " : ": ")
                                  << (hang ? hang->sentence : "runs") << "; in fact " << run.how << " "
                                  << run.error);
}

void compare_many(uint64_t first, uint64_t end) {
  for (const SendMode mode : {SendMode::kAsync, SendMode::kBlocking}) {
    Tally tally;
    for (uint64_t seed = first; seed < end; ++seed) compare(wrong_schedule(seed), mode, tally);
    CHECK(tally.disagree == 0);
    CHECK(tally.ran > static_cast<int>(end - first) / 20);  // enough of each kind, so that it means something
    CHECK(tally.hung > static_cast<int>(end - first) / 20);
    if (end - first >= 1000)
      WARN((mode == SendMode::kBlocking ? "blocking: " : "asynchronous: ")
           << tally.ran << " ran, " << tally.hung << " stood still, " << tally.needed_itself
           << " needed a later pass of their own");
  }
}

}  // namespace

TEST_CASE("wrong schedules at random: each that hangs is called so before, none that runs is") {
  compare_many(0, 200);
}

TEST_CASE("1,000 wrong schedules at random", "[.long]") { compare_many(1000, 2000); }

TEST_CASE("a schedule that hangs ends by the group's deadline") {
  std::vector<std::pair<PipelineSchedule, SendMode>> hanging;
  for (uint64_t seed = 0; hanging.size() < 8; ++seed)
    for (const SendMode mode : {SendMode::kAsync, SendMode::kBlocking}) {
      const PipelineSchedule schedule = wrong_schedule(seed);
      const auto hang = find_hang(schedule, mode);
      if (hang && hang->cycle.size() > 1) hanging.emplace_back(schedule, mode);
    }
  hanging.emplace_back(one_f_one_b(3, 3), SendMode::kBlocking);
  const auto ends = at_once(hanging, [](const auto& one) -> std::string {
    WorldOptions options;
    options.ranks = one.first.stages;
    options.timeout = std::chrono::milliseconds(200);
    try {
      run_world(options, [&](World& world) {
        auto& work = world.make<CountingWork>(one.first, world.rank());
        PipelineRunOptions how;
        how.mode = one.second;
        run_step(one.first, &world.group("pp"), work, how);
      });
    } catch (const TimeoutError&) {
      return "timeout";
    } catch (const std::exception& error) {
      return error.what();
    }
    return "ran";
  });
  for (size_t i = 0; i < ends.size(); ++i) {
    INFO(text_of(hanging[i].first));
    CHECK(ends[i] == "timeout");
  }
}
