// The playhead over a trace of two ranks and two steps, made by hand.
#include <catch.h>

#include "ringside/panel/playhead.h"

namespace ringside {
namespace {

// Times in units of 10 ns. Step s begins at 100 s: forward 0-40 (two layers), backward 40-80, update 80-95.
std::shared_ptr<TraceStore> small_store() {
  auto store = TraceStore::create("example");
  const auto recorders = store->add_section("train", {}, 2);
  for (Recorder* recorder : recorders) {
    for (int64_t step = 0; step < 2; ++step) {
      const int64_t at = 1000 + step * 1000;
      const auto span = [&](const char* name, int64_t from, int64_t to, const char* unit = "") {
        recorder->span(name, at + from * 10, at + to * 10, step, unit);
      };
      span("forward", 0, 20, "layer 0");
      span("wait for parameters", 22, 24);
      span("forward", 20, 40, "layer 1");
      CollectiveEvent event;
      event.time_created_ns = at + 450;
      recorder->collective(event);
      event.state = CollectiveState::kStarted;
      event.time_started_ns = at + 460;
      recorder->collective(event);
      span("backward", 40, 80, "layer 1");
      event.state = CollectiveState::kCompleted;
      event.time_completed_ns = at + 850;
      recorder->collective(event);
      span("update", 80, 95);
      span("step", 0, 95);
    }
    // Freed when the section is over: no part of it.
    recorder->memory({.time_ns = 9000, .delta_bytes = -4});
  }
  return store;
}

Playhead at(int64_t time_ns) {
  Playhead playhead;
  playhead.time_ns = time_ns;
  playhead.follow = false;
  return playhead;
}

}  // namespace

TEST_CASE("a section reaches from its first to its last recorded moment, frees behind it left out") {
  const Trace trace = small_store()->snapshot();
  const TimeRange range = time_range(*trace.find("train"));
  CHECK(range.first == 1000);
  CHECK(range.last == 2950);
  const auto empty = TraceStore::create("example");
  empty->add_section("nothing", {}, 3);
  CHECK(time_range(*empty->snapshot().find("nothing")).length() == 0);
}

TEST_CASE("event by event forwards and back again") {
  const Trace trace = small_store()->snapshot();
  Playhead playhead = at(1000);
  std::vector<int64_t> seen;
  while (stride(playhead, trace, Stride::kEvent, 1)) seen.push_back(playhead.time_ns);
  CHECK(seen == std::vector<int64_t>{1200, 1220, 1240, 1400, 1450, 1460, 1800, 1850, 1950, 2000, 2200, 2220,
                                     2240, 2400, 2450, 2460, 2800, 2850, 2950});
  std::vector<int64_t> back;
  while (stride(playhead, trace, Stride::kEvent, -1)) back.push_back(playhead.time_ns);
  std::vector<int64_t> expected(seen.rbegin() + 1, seen.rend());
  expected.push_back(1000);
  CHECK(back == expected);
  CHECK_FALSE(playhead.follow);
}

TEST_CASE("rows are events too, but those that were written when the section was over") {
  const auto store = small_store();
  const TablePtr table = store->declare({"t", {{"x"}}});
  for (const int64_t time_ns : {1300, 9500})
    store->recorder("train", 0).row({.table = table, .time_ns = time_ns, .values = {"a"}});
  const Trace trace = store->snapshot();
  Playhead playhead = at(1240);
  CHECK(stride(playhead, trace, Stride::kEvent, 1));
  CHECK(playhead.time_ns == 1300);
  playhead = at(2950);
  CHECK_FALSE(stride(playhead, trace, Stride::kEvent, 1));
}

TEST_CASE("by phase and by training step") {
  const Trace trace = small_store()->snapshot();
  Playhead playhead = at(1000);
  std::vector<int64_t> phases;
  while (stride(playhead, trace, Stride::kPhase, 1)) phases.push_back(playhead.time_ns);
  CHECK(phases == std::vector<int64_t>{1200, 1400, 1800, 2000, 2200, 2400, 2800});
  playhead = at(1500);
  CHECK(stride(playhead, trace, Stride::kStep, 1));
  CHECK(playhead.time_ns == 2000);
  CHECK_FALSE(stride(playhead, trace, Stride::kStep, 1));
  CHECK(stride(playhead, trace, Stride::kStep, -1));
  CHECK(playhead.time_ns == 1000);
}

TEST_CASE("a moment is the innermost phase, never a wait") {
  const Trace trace = small_store()->snapshot();
  const SectionView& section = *trace.find("train");
  CHECK(moment_at(trace, section, 1230) == Moment{0, "forward", "layer 1"});
  CHECK(moment_at(trace, section, 2500) == Moment{1, "backward", "layer 1"});
  CHECK(moment_at(trace, section, 2900) == Moment{1, "update", ""});
  CHECK(moment_at(trace, section, 1970) == Moment{});
  CHECK(moment_at(trace, section, 2900, 7) == Moment{});
}

TEST_CASE("follows the live end, plays at its speed, stops at the end") {
  const auto store = small_store();
  Playhead playhead;
  advance(playhead, store->snapshot(), 0.1);
  CHECK(playhead.time_ns == 2950);
  store->snapshot();
  playhead.follow = false;
  playhead.time_ns = 1000;
  playhead.playing = true;
  playhead.speed = 1e-3;
  advance(playhead, store->snapshot(), 1e-3);  // a microsecond of the run
  CHECK(playhead.time_ns == 2000);
  advance(playhead, store->snapshot(), 1);
  CHECK(playhead.time_ns == 2950);
  CHECK_FALSE(playhead.playing);
  CHECK_FALSE(stride(playhead, Trace(), Stride::kEvent, 1));
}

}  // namespace ringside
