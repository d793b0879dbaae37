// The playhead over a trace of two ranks and two steps, made by hand.
#include <catch.h>

#include "ringside/panel/place.h"
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

// Places of one run that are found again in another one.
// Steps of 100 ns from `at` on, with `layers` units in forward; `slow` times as long.
Trace run_of(int64_t at, int64_t steps, int layers, int64_t slow = 1) {
  auto store = TraceStore::create("example");
  Recorder& recorder = *store->add_section("stage 1", {}, 1).front();
  for (int64_t step = 0; step < steps; ++step) {
    const auto span = [&](const char* name, int64_t from, int64_t to, const std::string& unit = "") {
      recorder.span(name, at + slow * (100 * step + from), at + slow * (100 * step + to), step, unit);
    };
    for (int layer = 0; layer < layers; ++layer)
      span("forward", layer * 40 / layers, (layer + 1) * 40 / layers, "layer " + std::to_string(layer));
    span("backward", 40, 80, "layer 0");
    span("step", 0, 90);
  }
  return store->snapshot();
}

Place place_at(const Trace& trace, int64_t time_ns) {
  return place_of(trace, *trace.find("stage 1"), time_ns);
}

}  // namespace

TEST_CASE("a section reaches from its first to its last moment, event by event, and back") {
  const Trace trace = small_store()->snapshot();
  const TimeRange range = time_range(*trace.find("train"));
  CHECK(range.first == 1000);
  CHECK(range.last == 2950);
  const auto empty = TraceStore::create("example");
  empty->add_section("nothing", {}, 3);
  CHECK(time_range(*empty->snapshot().find("nothing")).length() == 0);
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

TEST_CASE("rows are events too; by phase and training step; a moment is the innermost phase") {
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
  const Trace steps = small_store()->snapshot();
  Playhead at_step = at(1000);
  std::vector<int64_t> phases;
  while (stride(at_step, steps, Stride::kPhase, 1)) phases.push_back(at_step.time_ns);
  CHECK(phases == std::vector<int64_t>{1200, 1400, 1800, 2000, 2200, 2400, 2800});
  at_step = at(1500);
  CHECK(stride(at_step, steps, Stride::kStep, 1));
  CHECK(at_step.time_ns == 2000);
  CHECK_FALSE(stride(at_step, steps, Stride::kStep, 1));
  CHECK(stride(at_step, steps, Stride::kStep, -1));
  CHECK(at_step.time_ns == 1000);
  const SectionView& section = *steps.find("train");
  CHECK(moment_at(steps, section, 1230) == Moment{0, "forward", "layer 1"});
  CHECK(moment_at(steps, section, 2500) == Moment{1, "backward", "layer 1"});
  CHECK(moment_at(steps, section, 2900) == Moment{1, "update", ""});
  CHECK(moment_at(steps, section, 1970) == Moment{});
  CHECK(moment_at(steps, section, 2900, 7) == Moment{});
}

TEST_CASE("follows the live end and plays at its speed; a place is found again in another run") {
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
  const Trace one = run_of(1000, 3, 2), other = run_of(70000, 5, 2, 10);
  const Place place = place_at(one, 1000 + 200 + 25);
  CHECK(place.section == "stage 1");
  CHECK(place.step == 2);
  CHECK(place.phase == "forward");
  CHECK(place.unit == "layer 1");
  CHECK(place.part == Approx(0.25));
  CHECK(instant_of(one, place) == 1000 + 200 + 25);
  CHECK(instant_of(other, place) == 70000 + 2000 + 250);
}

TEST_CASE("what the other run lacks is found by the whole it belongs to") {
  const Trace one = run_of(0, 3, 4), other = run_of(0, 3, 2);
  const Place place = place_at(one, 100 + 35);  // in layer 3
  CHECK(place.unit == "layer 3");
  CHECK(instant_of(other, place) == 100 + 20);  // half of forward, as half of that layer
  CHECK(instant_of(other, Place{"stage 1", 1, "update", "", 0.5}) == 100 + 45);
  const Trace two = run_of(1000, 2, 1), slow = run_of(0, 2, 1, 2);
  const Place between = place_at(two, 1000 + 95);
  CHECK(between.step == -1);
  CHECK(between.part == Approx(0.5));
  CHECK(instant_of(slow, between) == 190);
}

TEST_CASE("what has not ended has no place yet; playing pauses where it was asked to, once") {
  const Trace two = run_of(0, 2, 1);
  CHECK_FALSE(instant_of(two, Place{"stage 1", 2, "backward"}));
  CHECK_FALSE(instant_of(two, Place{"stage 2", 0, "backward"}));
  CHECK(last_step(two, *two.find("stage 1")) == 1);
  CHECK(last_step(two, *two.find("stage 1"), kStepSpan, 99) == 0);
  CHECK(last_step(two, *two.find("stage 1"), "line") == -1);
  CHECK_FALSE(range_of_step(two, *two.find("stage 1"), 2));
  CHECK(range_of_step(two, *two.find("stage 1"), 1)->first == 100);
  const Trace trace = run_of(0, 3, 1);
  Playhead playhead;
  playhead.follow = false;
  playhead.playing = true;
  playhead.until_ns = 90;
  advance(playhead, trace, 50e-9);
  CHECK(playhead.time_ns == 50);
  advance(playhead, trace, 50e-9);
  CHECK(playhead.time_ns == 90);
  CHECK_FALSE(playhead.playing);
  playhead.playing = true;
  advance(playhead, trace, 50e-9);
  CHECK(playhead.time_ns == 140);
  CHECK(playhead.playing);
}

}  // namespace ringside
