// Schedules that run for real: over threads, each stage a rank.
#include <catch.h>

#include <memory>

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

TEST_CASE("GPipe runs with sends that block") {
  for (int p = 2; p <= 4; ++p)
    for (const int v : {1, 2}) {
      const PipelineSchedule schedule = gpipe(p, 3, v);
      // In turns of two stages and two chunks each sends to the other before it receives.
      if (!find_hang(schedule, SendMode::kBlocking)) check_run(schedule, SendMode::kBlocking);
      CHECK(find_hang(schedule, SendMode::kBlocking).has_value() == (v == 2 && p <= 3));
    }
}

TEST_CASE("chunks as a V: what lies beside its next part is handed over, and no byte is sent for it") {
  PipelineSchedule schedule = gpipe(3, 4, 2);
  schedule.order = ChunkOrder::kVee;
  check_run(schedule, SendMode::kAsync);
  check_run(schedule_of("F0 F1 B1 B0 / F0 B0 F1 B1", 2, 2, 1),
            SendMode::kAsync);  // gradients in another order
}

TEST_CASE("an evaluation's forward goes through all parts, and nothing waits for a backward") {
  for (const NamedSchedule& known : named_schedules())
    for (int p = 1; p <= 4; ++p) {
      INFO(known.name << " p=" << p);
      const PipelineSchedule schedule = known.make(p, 3, known.least_chunks);
      std::vector<StepSchedule> done(static_cast<size_t>(p));
      std::vector<size_t> kept(static_cast<size_t>(p));
      WorldOptions options;
      options.ranks = p;
      run_world(options, [&](World& world) {
        auto& work = world.make<CountingWork>(schedule, world.rank());
        for (int64_t micro = 0; micro < 5; ++micro)  // more than a step has
          run_forward(schedule, p > 1 ? &world.group("pp") : nullptr, work, micro);
        done[static_cast<size_t>(world.rank())] = work.done;
        kept[static_cast<size_t>(world.rank())] = work.kept();
      });
      for (int stage = 0; stage < p; ++stage) {
        StepSchedule expected;
        for (int64_t micro = 0; micro < 5; ++micro)
          for (int part = 0; part < schedule.parts(); ++part)
            if (schedule.stage_of(part) == stage)
              expected.push_back({StepPass::kForward, micro, schedule.chunk_of(part)});
        CHECK(done[static_cast<size_t>(stage)] == expected);
        CHECK(kept[static_cast<size_t>(stage)] == expected.size());  // the activations alone
      }
    }
}

TEST_CASE("hooks stand around each pass, and what cannot run is refused") {
  const PipelineSchedule alone = zero_bubble(1, 2);
  CountingWork work(alone, 0);
  std::string seen;
  PipelineRunOptions options;
  options.before_pass = [&](const StepPass& pass) { seen += "<" + text_of(pass, 1); };
  options.behind_pass = [&](const StepPass& pass) { seen += text_of(pass, 1) + "> "; };
  run_step(alone, nullptr, work, options);
  CHECK(seen == "<F0F0> <I0I0> <W0W0> <F1F1> <I1I1> <W1W1> ");

  const auto why = [](const PipelineSchedule& schedule) {
    CountingWork none(schedule, 0);
    try {
      run_step(schedule, nullptr, none);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("ran");
  };
  CHECK(why(gpipe(2, 1)) == "a schedule of 2 stages over a group of 1: they must be as many");
  CHECK(why(schedule_of("B0 F0", 1, 1, 1)) ==
        "stage 0: B0 needs its own F0, which stands later in its list: it would wait for itself");
}

TEST_CASE("messages say what they carry, on both sides alike") {
  std::vector<std::vector<std::string>> sent(2), received(2);
  WorldOptions options;
  options.ranks = 2;
  class Listening final : public GroupDecorator {
   public:
    Listening(std::unique_ptr<ProcessGroup> inner, std::vector<std::string>& sends,
              std::vector<std::string>& receives)
        : GroupDecorator(std::move(inner)), sends_(sends), receives_(receives) {}
    WorkPtr start(Collective call) override {
      (call.op == Op::kSend ? sends_ : receives_).push_back(call.tag.what + ", " + call.tag.unit);
      return inner_->start(std::move(call));
    }

   private:
    std::vector<std::string>&sends_, &receives_;
  };
  options.hooks.wrap_group = [&](std::unique_ptr<ProcessGroup> group) -> std::unique_ptr<ProcessGroup> {
    const auto rank = static_cast<size_t>(group->rank());
    return std::make_unique<Listening>(std::move(group), sent[rank], received[rank]);
  };
  const PipelineSchedule schedule = interleaved(2, 2);
  run_world(options, [&](World& world) {
    auto& work = world.make<CountingWork>(schedule, world.rank());
    run_step(schedule, &world.group("pp"), work);
  });
  CHECK(sent[0] == received[1]);
  CHECK(sent[1] == received[0]);
  CHECK(sent[0].front() == "activations, chunk 0 micro 0");
  CHECK(sent[0].back() == "activation gradients, chunk 1 micro 1");
}
