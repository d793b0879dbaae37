#include <catch.h>

#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/figures/calls.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/step_windows.h"
#include "ringside/figures/training_facts.h"
#include "ringside/lesson/config.h"

using namespace ringside;
using namespace ringside::figure;

namespace ringside {
namespace {

// Two sections of two steps; step s of the first begins at 1000 (s + 1).
Trace two_sections() {
  const auto store = TraceStore::create("example");
  for (const char* name : {"stage 2", "stage 2: slow"})
    for (Recorder* recorder : store->add_section(name, {}, 2))
      for (int64_t step = 0; step < 2; ++step) {
        const int64_t at = 1000 * (step + 1);
        recorder->span("forward", at, at + 300, step, "layer 0");
        recorder->span("forward", at + 300, at + 400, step, "layer 1");
        if (step == 1) recorder->span("update", at + 400, at + 500, step);
        recorder->span("step", at, at + 500 + recorder->rank(), step);
      }
  return store->snapshot();
}

std::string refusal(const std::string& text, const Trace& trace) {
  const Config config = Config::parse("example", {}, {});
  return message_of<UsageError>([&] { parse_instant(text, config, trace); }, "");
}

}  // namespace

TEST_CASE("an instant is a section's end, a step's, or a phase's, on rank 0") {
  const Trace trace = two_sections();
  const Config config = Config::parse("example", {}, {});
  const auto at = [&](const std::string& text) { return parse_instant(text, config, trace); };
  CHECK(at("stage 2").section->name() == "stage 2");
  CHECK(at("stage 2").time_ns == 2501);  // of whichever rank
  CHECK(at("stage 2:0").time_ns == 1500);
  CHECK(at("stage 2:0:forward").time_ns == 1400);
  CHECK(at("stage 2::forward").time_ns == 2400);
  CHECK(at("stage 2: slow:1:update").section->name() == "stage 2: slow");  // the longest name that fits

  FigureSpec spec;
  CHECK(default_input(config, spec, trace).section->name() == "stage 2: slow");
  spec.section = "stage 2";
  CHECK(default_input(config, spec, trace).section->name() == "stage 2");
  CHECK(default_input(config, spec, trace).time_ns == 2501);
  spec.of_last_step = true;
  CHECK(default_input(config, spec, trace).time_ns == 2500);  // the first rank that has ended it
  spec.section_of = [](const Config&) { return "stage 2: slow"; };
  CHECK(default_input(config, spec, trace).section->name() == "stage 2: slow");
  CHECK(default_input(config, spec, Trace()).section == nullptr);
}

TEST_CASE("of a training: the highest peak of any rank, what its steps sent, and the step of an instant") {
  const auto store = TraceStore::create("example");
  const auto ranks = store->add_section("train", {{"parameters", int64_t{10}}}, 2);
  for (const int64_t step : {0, 1}) ranks[0]->span("step", 100 * step + 100, 100 * step + 150, step);
  for (const auto& [tag, at] : {std::pair{"parameters", 90}, {"gradients", 120}, {"parameters", 240}}) {
    CollectiveEvent event;
    event.tag = ranks[0]->name(tag), event.state = CollectiveState::kCompleted;
    event.bytes_sent = 40, event.time_completed_ns = at;
    ranks[0]->collective(event);
  }
  for (Recorder* rank : ranks) {
    MemoryEvent event;
    event.total_bytes = rank->rank() == 1 ? 9 : 5;
    rank->memory(event);
  }
  const Trace trace = store->snapshot();
  const SectionView& section = trace.sections().front();
  CHECK(peak_bytes(trace, section) == 9);
  CHECK(sent_a_step(trace, section) == 2 * 40 / 2.0 / 4 / 10);  // two calls, two steps, 4 bytes, Ψ = 10
  StepWindows windows;
  windows.update(section, 0);
  CHECK(windows.at(199)->step == 0);
  CHECK(windows.at(200)->step == 1);
}

TEST_CASE("a section ends with the first rank that is done and frees memory; what there is not is refused") {
  const auto store = TraceStore::create("example");
  const std::vector<Recorder*> ranks = store->add_section("section", {}, 2);
  const auto last = [&] { return time_range(*store->snapshot().find("section")).last; };
  ranks[0]->span("step", 10, 100);
  ranks[1]->span("step", 10, 900);
  CHECK(last() == 900);  // nothing is held that rank 0 could free before rank 1 is done
  for (Recorder* rank : ranks) rank->memory({.time_ns = 20, .live_bytes = 4});
  CHECK(last() == 100);
  ranks[0]->end();
  CHECK(last() == 900);
  ranks[1]->end();
  CHECK(last() == 900);
  const Trace trace = two_sections();
  CHECK(refusal("stage 3:1", trace) ==
        "--at stage 3:1: there is no section 'stage 3' (did you mean stage 2?); there are: stage 2, stage 2: "
        "slow");
  CHECK(refusal("stage 2:7", trace) == "--at stage 2:7: section 'stage 2' has no step 7; there are: 0 to 1");
  CHECK(refusal("stage 2:0:update", trace) ==
        "--at stage 2:0:update: there is no phase 'update'; there are: forward, step");
  CHECK(refusal("stage 2:one", trace).find("'one' is no step") != std::string::npos);
  CHECK(refusal("", trace).find("which section?") != std::string::npos);
  CHECK(refusal("stage 2", Trace()) == "--at stage 2: the run has no section");
}

TEST_CASE(
    "who tells memory and scalars alone is not waited for, and is what there is where nobody does more") {
  const auto store = TraceStore::create("example");
  const std::vector<Recorder*> ranks = store->add_section("section", {}, 2);
  const auto range = [&] { return time_range(*store->snapshot().find("section")); };
  for (const int64_t time_ns : {10, 20}) ranks[1]->memory({.time_ns = time_ns, .live_bytes = time_ns});
  for (const int64_t time_ns : {5, 40}) ranks[1]->scalar({.time_ns = time_ns});
  CHECK(range().first == 5);
  CHECK(range().last == 40);
  ranks[0]->span("step", 8, 100);
  CHECK(range().last == 100);
}

}  // namespace ringside

// Calls at an instant: who made which, who is missing, and who came last.
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

TEST_CASE("a call never made is missing once it is over; counters of the done and the queued") {
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
