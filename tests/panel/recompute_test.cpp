// When a value is computed anew.
#include "ringside/panel/recompute.h"

#include <catch.h>

namespace ringside {
namespace {

InputMark mark(uint64_t events, int64_t time_ns = 0, uint64_t run = 1) {
  InputMark mark;
  mark.trace.run = run;
  mark.trace.events = events;
  mark.time_ns = time_ns;
  return mark;
}

int count_and_return(int& counted) { return ++counted; }

}  // namespace

TEST_CASE("the same input is computed once, a growing run's at most every tenth of a second") {
  Recomputed<int> value;
  int counted = 0;
  const auto compute = [&] { return count_and_return(counted); };
  for (int frame = 0; frame < 100; ++frame) value.get(mark(5), frame * 10.0, false, compute);
  CHECK(counted == 1);
  CHECK(value.get(mark(5, 7), 5000, false, compute) == 2);  // another instant
  CHECK(value.version() == 2);
  CHECK_FALSE(value.waiting());
  Recomputed<int> going;
  int times = 0;
  const auto again = [&] { return count_and_return(times); };
  CHECK(going.get(mark(1), 0, true, again) == 1);
  CHECK(going.get(mark(2), 0.05, true, again) == 1);
  CHECK(going.waiting());
  CHECK(going.get(mark(3), 0.11, true, again) == 2);
  CHECK_FALSE(going.waiting());
  CHECK(going.get(mark(3, 0, 2), 0.12, true, again) == 3);
}

TEST_CASE("what takes long is computed for no more than a tenth of the time") {
  Recomputed<int> value;
  int counted = 0;
  const auto compute = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return count_and_return(counted);
  };
  value.get(mark(1), 0, false, compute);
  value.get(mark(2), 0.19, false, compute);
  CHECK(counted == 1);
  CHECK(value.waiting());
  InputMark chosen = mark(2);
  chosen.section = "case 2";
  CHECK(value.get(chosen, 0.19, true, compute) == 1);  // the run may go through many
  CHECK(value.waiting());
  CHECK(value.get(chosen, 0.19, false, compute) == 2);  // no picture of one stands beside another's words
  value.get(mark(2), 1e6, false, compute);
  CHECK(counted == 3);
}

TEST_CASE("whatever a trace records, and its end, is another mark") {
  const auto store = TraceStore::create("example");
  Recorder& recorder = *store->add_section("train", {}, 1)[0];
  std::vector<TraceMark> seen = {mark_of(store->snapshot(), 1)};
  const auto look = [&] {
    const TraceMark now = mark_of(store->snapshot(), 1);
    CHECK_FALSE(now == seen.back());
    CHECK(now == mark_of(store->snapshot(), 1));
    seen.push_back(now);
  };
  recorder.scalar("loss", 0, 1);
  look();
  recorder.span("step", 1, 2);
  look();
  recorder.note("after step");
  look();
  recorder.memory({.time_ns = 3, .delta_bytes = 4});
  look();
  recorder.collective({});
  look();
  recorder.message({});
  look();
  recorder.row(store->declare({"t", {{"x"}}}), {"a"});
  look();
  store->set_attributes("train", {{"steps", int64_t{3}}});
  look();
  store->add_rank("train");
  look();
  store->add_section("again", {}, 1);
  look();
  store->set_rows({});
  look();
  store->set_complete();
  look();
  CHECK_FALSE(mark_of(store->snapshot(), 2) == seen.back());
}

}  // namespace ringside
