// The virtual clock: links, the critical path, time for a planner.
#include <catch.h>

#include <chrono>

#include "ringside/base/error.h"
#include "ringside/pipeline/clock.h"

using namespace ringside;

namespace {

PipelineCosts with_messages(MessageStart start, double seconds = 0.5) {
  PipelineCosts costs = equal_costs(1);
  costs.message = [seconds](const PipelineMessage&) { return seconds; };
  costs.start = start;
  return costs;
}

// Each piece begins where the one before it ended, and at the place where that was.
void check_path(const PipelineReplay& run) {
  double now = 0;
  int at = run.critical_path.front().span.stage;
  for (const PathPiece& piece : run.critical_path) {
    CHECK(piece.span.start == now);
    now = piece.span.end;
    if (!piece.is_message) at = piece.span.stage;
    if (piece.is_message) CHECK((piece.message.from == at || piece.message.to == at));
    if (piece.is_message) at = piece.message.to;
  }
  CHECK(now == run.time.total);
}

}  // namespace

TEST_CASE("the critical path has no gap, with links and without") {
  for (const NamedSchedule& known : named_schedules())
    for (int p = 1; p <= 4; ++p)
      for (const int64_t m : {1, 2, 5, 8}) {
        INFO(known.name << " p=" << p << " m=" << m);
        const PipelineSchedule schedule = known.make(p, m, known.least_chunks);
        check_path(replay(schedule, equal_costs(schedule.chunks)));
        check_path(replay(schedule, with_messages(MessageStart::kWhenReceived)));
        check_path(replay(schedule, with_messages(MessageStart::kWhenSent)));
        CHECK(replay(schedule, with_messages(MessageStart::kWhenReceived)).time.total ==
              time_of(schedule, with_messages(MessageStart::kWhenReceived)).total);
      }
}

TEST_CASE("a message is waited for, or hides behind its receiver's passes where receives are posted early") {
  // Two stages, two forwards each way: F0 F1 | F0 F1, then B0 B1 back; a message takes half a forward.
  const PipelineSchedule schedule = gpipe(2, 2);
  // Stage 1: F0 1.5 to 2.5; F1 is sent at 2, received from 2.5 on, begins at 3 and ends at 4; B0 4 to 6, B1 6
  // to 8. Stage 0: B0's gradient is there at 6.5, B0 to 8.5; B1's, sent at 8, moves from 8.5 on; B1 9 to 11.
  CHECK(time_of(schedule, with_messages(MessageStart::kWhenReceived)).total == 11);
  // F1 is there at 2.5; stage 1 ends at 7.5; B1's gradient moves from 7.5 to 8 while stage 0 is in B0
  // until 8.
  CHECK(time_of(schedule, with_messages(MessageStart::kWhenSent)).total == 10);
  // One at a time in a lane: messages of 3 s.
  // F0 at 1 to 4, F1 at 4 to 7; stage 1 F1 7 to 8, B0 8 to 10 and B1 to 12; gradients 10 to 13 and 13 to 16;
  // B1 to 18.
  CHECK(time_of(schedule, with_messages(MessageStart::kWhenSent, 3)).total == 18);
}

TEST_CASE("costs by stage: the slowest stage sets the pace, and its work is the ideal") {
  PipelineCosts costs = equal_costs(1);
  costs.pass = [equal = costs.pass](int stage, const StepPass& pass) {
    return equal(stage, pass) * (stage == 1 ? 2 : 1);
  };
  const PipelineTime time = time_of(one_f_one_b(3, 10), costs);
  CHECK(time.ideal == 60);
  CHECK(time.busy == std::vector<double>{30, 60, 30});
  // Stage 1 waits for stage 0's first forward (1) and last backward (2), and for stage 2's F0 and B0 (3), of
  // which its own F1 fills 2.
  CHECK(time.total == 64);
  CHECK(time.idle == std::vector<double>{34, 4, 34});
  CHECK(time.bubble_of_ideal() == Approx(4.0 / 60));
  CHECK(time.bubble_of_whole() == Approx(4.0 / 64));
}

TEST_CASE("over a link a message takes its latency and its bytes") {
  const LinkModel link = parse_link("100us/1GBps");
  const auto message =
      over_link(link, [](const PipelineMessage& of) { return of.backward ? 2'000'000 : 1'000'000; });
  CHECK(message({.from = 0, .to = 1}) == Approx(0.0011));
  CHECK(message({.from = 1, .to = 0, .backward = true}) == Approx(0.0021));
}

TEST_CASE("a schedule that hangs has no time") {
  const PipelineSchedule hangs = schedule_of("F0 B0 F1 B1 / F1 F0 B0 B1", 2, 2, 1);
  CHECK_THROWS_AS(time_of(hangs, equal_costs(1)), UsageError);
}

TEST_CASE("half a million passes are replayed in no time") {
  const PipelineSchedule schedule = interleaved(64, 1024, 4);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(time_of(schedule, equal_costs(4)).bubble_of_ideal() == Approx(63.0 / 4096));
  CHECK(std::chrono::steady_clock::now() - begin <
        std::chrono::seconds(5));  // about 15 ms where it is not sanitized
}
