// Calls at an instant: who made which, who is missing, and who came last.
#include "ringside/figures/calls.h"

#include <catch.h>

#include "ringside/figures/text.h"

using namespace ringside;
using namespace ringside::figure;

namespace {

constexpr int64_t kMs = 1'000'000;

// Two calls of both ranks, of which rank 1 comes to the second 30 ms late; the third is rank 0's alone.
std::shared_ptr<TraceStore> made() {
  const auto store = TraceStore::create("calls");
  const auto recorders = store->add_section("run", {}, 2);
  for (int rank = 0; rank < 2; ++rank) {
    Recorder& recorder = *recorders[static_cast<size_t>(rank)];
    for (int64_t seq = 0; seq < (rank == 0 ? 3 : 2); ++seq) {
      CollectiveEvent event;
      event.group = recorder.name("dp");
      event.tag = recorder.name("gradients");
      event.op = Op::kAllReduce;
      event.collective_seq_id = seq;
      event.elements = 8;
      event.time_created_ns = (100 * seq + (rank == 1 && seq == 1 ? 30 : 0) + 1) * kMs;
      recorder.collective(event);
      event.state = seq < 2 ? CollectiveState::kCompleted : CollectiveState::kFailed;
      event.time_completed_ns = (100 * seq + (seq < 2 ? 40 : 500)) * kMs;
      recorder.collective(event);
    }
  }
  return store;
}

}  // namespace

TEST_CASE("a call that a rank never made is missing once it is over, and only then") {
  const Trace trace = made()->snapshot();
  const SectionView& section = trace.sections().front();
  const CallView both{.ranks = {0, 1}};
  const Calls before = calls_at(trace, section, 300 * kMs, false),
              after = calls_at(trace, section, 900 * kMs, true);
  CHECK_FALSE(before.over);
  CHECK(after.over);
  const Boxes waits = call_boxes(trace, before, both), hole = call_boxes(trace, after, both);
  CHECK(waits.rows[0].boxes[2].text == "#2 AR 99.0 ms");
  CHECK_FALSE(waits.rows[0].boxes[2].filled);
  CHECK(waits.rows[1].boxes[2].text == "");
  CHECK(hole.rows[1].boxes[2].text == "missing");
  CHECK(hole.rows[1].boxes[2].ink == Ink::kAlarm);
  const auto wait = longest_wait(after, {0, 1}, kMs);
  REQUIRE(wait);
  CHECK(wait->seq == 2);
  CHECK(wait->waiting == std::vector<int>{0});
  CHECK(wait->missing == std::vector<int>{1});
  CHECK(call_lanes(trace, after, {.ranks = {0}}).lanes.size() == 1);
}

TEST_CASE("counters: the last done, started and queued, and who came last") {
  const Trace trace = made()->snapshot();
  const Calls calls = calls_at(trace, trace.sections().front(), 900 * kMs, true);
  const Table table = call_counters(calls, {.ranks = {0, 1}}, 20 * kMs);
  CHECK(table.rows[0][1].text == "#1, #2, #2");
  CHECK(table.rows[1][1].text == "#1, #1, #1");
  CHECK(table.rows[0][2].text == "0");
  CHECK(table.rows[1][2].text == "1 times, 30.0 ms");
  CHECK(call_counters(calls, {.ranks = {0, 1}, .gone = {1}}, kMs).rows[1][1].text == "—");
}

TEST_CASE("a call behind one that is not complete is queued: scheduled, and not started") {
  const auto store = made();
  Recorder& recorder = store->recorder("run", 0);
  CollectiveEvent event;
  event.group = recorder.name("dp");
  event.collective_seq_id = 3;
  event.time_created_ns = 205 * kMs;
  recorder.collective(event);
  const Trace trace = store->snapshot();
  const Calls calls = calls_at(trace, trace.sections().front(), 300 * kMs, false);
  const Boxes boxes = call_boxes(trace, calls, {.ranks = {0}});
  CHECK(boxes.rows[0].boxes[2].text == "#2 AR 99.0 ms");
  CHECK(boxes.rows[0].boxes[3].text == "#3 queued");
  CHECK(call_counters(calls, {.ranks = {0}}, kMs).rows[0][1].text == "#1, #2, #3");
}
