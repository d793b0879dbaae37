// Schedules that run for real: over threads, each stage a rank.
#include <catch.h>

#include <memory>
#include <mutex>

#include "ringside/base/error.h"
#include "ringside/pipeline/check.h"
#include "ringside/pipeline/run.h"
#include "ringside/trace/trace.h"
#include "ringside/world/world.h"
#include "stage_work.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// What is left of one stage.
struct StageEnd {
  StepSchedule done{};
  std::vector<int64_t> live{};
  size_t kept = 0;
  int64_t bytes[2] = {0, 0};  // that it sent: activations, gradients
};

// One step of every stage.
std::vector<StageEnd> run_for_real(const PipelineSchedule& schedule, SendMode mode) {
  std::vector<StageEnd> ends(schedule.of_stage.size());
  const std::shared_ptr<TraceStore> store = TraceStore::create("test");
  WorldOptions options;
  options.ranks = schedule.stages;
  options.recorders = store->add_section("test", {}, schedule.stages);
  run_world(options, [&](World& world) {
    auto& work = world.make<CountingWork>(schedule, world.rank());
    run_step(schedule, schedule.stages > 1 ? &world.group("pp") : nullptr, work,
             {.mode = mode, .before_pass = {}, .behind_pass = {}});
    StageEnd& end = ends[static_cast<size_t>(world.rank())];
    end.done = work.done, end.live = work.live, end.kept = work.kept();
  });
  const Trace trace = store->snapshot();
  for (size_t rank = 0; rank < ends.size(); ++rank)
    for (const CollectiveEvent& event : trace.find("test")->collectives(static_cast<int>(rank)))
      if (event.state == CollectiveState::kCompleted && event.op == Op::kSend)
        ends[rank].bytes[trace.name(event.tag) == "activation gradients"] += event.bytes_sent;
  return ends;
}

void check_run(const PipelineSchedule& schedule, SendMode mode) {
  INFO(schedule.name << " p=" << schedule.stages << " m=" << schedule.micro_batches
                     << " v=" << schedule.chunks);
  const std::vector<StageEnd> ends = run_for_real(schedule, mode);
  const LiveActivations live = live_activations(schedule);
  for (int stage = 0; stage < schedule.stages; ++stage) {
    const auto at = static_cast<size_t>(stage);
    int64_t forward = 0, backward = 0;  // boundaries to another stage
    for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
      const int part = schedule.part_of(stage, chunk);
      if (part + 1 < schedule.parts() && schedule.stage_of(part + 1) != stage) ++forward;
      if (part > 0 && schedule.stage_of(part - 1) != stage) ++backward;
    }
    const int64_t of_message = schedule.micro_batches * CountingWork::kElements * 8;
    CHECK(ends[at].done == schedule.of_stage[at]);
    CHECK(ends[at].live == live.after[at]);
    CHECK(ends[at].kept == 0);
    CHECK(ends[at].bytes[0] == forward * of_message);
    CHECK(ends[at].bytes[1] == backward * of_message);
  }
}

}  // namespace

TEST_CASE("every schedule runs: its order, its bytes, what lives, and nothing is left") {
  for (const NamedSchedule& known : named_schedules())
    for (int p = 1; p <= 4; ++p)
      for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 8})
        for (int v = known.least_chunks; v <= std::min(2, known.most_chunks); ++v) {
          const PipelineSchedule schedule = known.make(p, m, v);
          CHECK(!find_hang(schedule, SendMode::kAsync));
          check_run(schedule, SendMode::kAsync);
        }
}
