// Places of one run that are found again in another one.
#include <catch.h>

#include "ringside/panel/place.h"
#include "ringside/panel/playhead.h"

namespace ringside {
namespace {

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

TEST_CASE("a place is found again in a run that began later and took longer") {
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

TEST_CASE("a unit that the other run lacks is the whole phase, a phase that it lacks the whole step") {
  const Trace one = run_of(0, 3, 4), other = run_of(0, 3, 2);
  const Place place = place_at(one, 100 + 35);  // in layer 3
  CHECK(place.unit == "layer 3");
  CHECK(instant_of(other, place) == 100 + 20);  // half of forward, as half of that layer
  CHECK(instant_of(other, Place{"stage 1", 1, "update", "", 0.5}) == 100 + 45);
}

TEST_CASE("between two steps, and in a section without any, a place is a part of the section") {
  const Trace one = run_of(1000, 2, 1), other = run_of(0, 2, 1, 2);
  const Place place = place_at(one, 1000 + 95);
  CHECK(place.step == -1);
  CHECK(place.part == Approx(0.5));
  CHECK(instant_of(other, place) == 190);
}

TEST_CASE("what has not ended has no place yet") {
  const Trace two = run_of(0, 2, 1);
  CHECK_FALSE(instant_of(two, Place{"stage 1", 2, "backward"}));
  CHECK_FALSE(instant_of(two, Place{"stage 2", 0, "backward"}));
  CHECK(last_step(two, *two.find("stage 1")) == 1);
  CHECK(last_step(two, *two.find("stage 1"), kStepSpan, 99) == 0);
  CHECK(last_step(two, *two.find("stage 1"), "line") == -1);
  CHECK_FALSE(range_of_step(two, *two.find("stage 1"), 2));
  CHECK(range_of_step(two, *two.find("stage 1"), 1)->first == 100);
}

TEST_CASE("playing pauses at the instant it was asked to, once") {
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
