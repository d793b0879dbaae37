// The timeline: what it draws, what can be pointed at, and that a frame costs its pixels.
#include <catch.h>

#include <ctime>
#include <iostream>

#include "ringside/widgets/timeline.h"
#include "synthetic_section.h"
#include "windowless.h"

using namespace ringside;
using ringside::test::Windowless;

namespace {

struct Room {
  explicit Room(test::Synthetic section) : made(std::move(section)) {
    index.update(made.trace, made.section);
    playhead = made.busy_ns;
  }
  void frame(Windowless& room, bool follow = false) {
    room.in_window([&] {
      const auto events = timeline.draw("tl", ImGui::GetContentRegionAvail(), made.trace, made.section, index,
                                        playhead, follow);
      if (events.seek_ns) sought = events.seek_ns;
    });
  }
  void press(Windowless& room, ui::Key key) {
    room.key(key, true);
    frame(room);
    room.key(key, false);
    frame(room);
  }
  // The middle of a rank's lane at that time.
  ImVec2 place(const std::string& row, int64_t time, float height) {
    const ui::Item* item = ui::find_item(row);
    REQUIRE(item != nullptr);
    const double share = static_cast<double>(time - timeline.from_ns()) /
                         static_cast<double>(timeline.to_ns() - timeline.from_ns());
    return {item->min.x + static_cast<float>(share) * (item->max.x - item->min.x),
            item->min.y + height * (item->max.y - item->min.y)};
  }

  test::Synthetic made;
  ui::TimelineIndex index;
  ui::Timeline timeline;
  int64_t playhead = 0;
  std::optional<int64_t> sought;
};

constexpr int64_t kMs = 1000000;

}  // namespace

TEST_CASE("the timeline is drawn without a fault at every size, scale, theme and number of ranks") {
  const float scale = GENERATE(1.0f, 2.0f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  const auto size = GENERATE(ImVec2(1056, 300), ImVec2(480, 220), ImVec2(240, 120));
  const int ranks = GENERATE(1, 4, 8);
  const bool complete = GENERATE(true, false);
  CAPTURE(scale, size.x, ranks, complete);
  Windowless room(size.x * scale, size.y * scale, scale, mode);
  Room r(test::small_section(ranks, complete));
  r.timeline.options.memory_rank = 0;
  for (int i = 0; i < 2; ++i) r.frame(room);
  CHECK(room.faults() == "");
  CHECK(room.vertices() > 200);
  for (const int64_t length : {3 * kMs, kMs / 10, int64_t{1000}}) {
    r.timeline.show(r.made.busy_ns - length / 2, r.made.busy_ns + length / 2);
    r.frame(room);
    CHECK(room.faults() == "");
  }
}

TEST_CASE("a timeline of a section without events, and without ranks' events of one kind") {
  Windowless room(600, 300);
  test::Synthetic empty;
  empty.store = TraceStore::create("empty");
  empty.recorders = empty.store->add_section("s", {}, 4);
  empty.snapshot();
  Room r(std::move(empty));
  r.timeline.options.memory_rank = 0;
  for (int i = 0; i < 2; ++i) r.frame(room);
  CHECK(room.faults() == "");
  CHECK(r.index.empty());
  r.made.recorders[1]->span("forward", 100, 100);
  r.made.snapshot();
  r.index.update(r.made.trace, r.made.section);
  r.frame(room);
  CHECK(room.faults() == "");
}

TEST_CASE("a timeline whose index is still of another section draws nothing of it") {
  Windowless room(600, 300);
  Room r(test::small_section(4));
  const test::Synthetic other = test::small_section(2);
  r.made.section = other.section;
  r.frame(room);
  CHECK(ui::find_item("tl.r0") == nullptr);
  r.index.update(other.trace, other.section);
  r.made.trace = other.trace;
  r.frame(room);
  CHECK(ui::find_item("tl.r1") != nullptr);
  CHECK(ui::find_item("tl.r2") == nullptr);
}

TEST_CASE("the ruler and the playhead's handle seek") {
  Windowless room(1056, 300);
  Room r(test::small_section(4));
  for (int i = 0; i < 2; ++i) r.frame(room);
  const ui::Item ruler = *ui::find_item("tl.ruler");
  room.mouse_to(ImVec2{(ruler.min.x + ruler.max.x) / 2, ruler.min.y + 4});
  r.frame(room);
  CHECK_FALSE(r.sought);
  room.button(true);
  r.frame(room);
  REQUIRE(r.sought);
  CHECK(*r.sought == Approx(static_cast<double>(r.made.start_ns + 5 * kMs)).margin(kMs / 50));
  room.mouse_to(ImVec2{ruler.max.x + 300, 200});  // beyond the end, and out of the ruler
  r.frame(room);
  CHECK(*r.sought == r.made.end_ns);
  room.button(false);
  r.frame(room);
  r.playhead = r.made.start_ns + 2 * kMs;
  r.frame(room);
  REQUIRE(room.mouse_to("tl.handle"));
  r.frame(room);
  r.sought.reset();
  room.button(true);
  r.frame(room);
  REQUIRE(r.sought);
  CHECK(*r.sought == Approx(static_cast<double>(r.playhead)).margin(kMs / 20));
  room.button(false);
  r.frame(room);
}

TEST_CASE("wheel and keys zoom where they are, dragging pans, Home shows everything") {
  Windowless room(1056, 300);
  Room r(test::small_section(4));
  for (int i = 0; i < 2; ++i) r.frame(room);
  const int64_t at = r.made.start_ns + 3 * kMs;
  const ImVec2 place = r.place("tl.r1", at, 0.2f);
  room.mouse_to(place);
  r.frame(room);
  for (int i = 0; i < 5; ++i) {
    ui::inject_wheel(1);
    r.frame(room);
  }
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() < 4 * kMs);
  CHECK(r.place("tl.r1", at, 0.2f).x == Approx(place.x).margin(2));
  const int64_t before = r.timeline.from_ns();
  room.button(true);
  r.frame(room);
  room.mouse_to(ImVec2{place.x - 200, place.y});
  r.frame(room);
  room.button(false);
  r.frame(room);
  CHECK(r.timeline.from_ns() > before);
  CHECK_FALSE(r.timeline.pinned());
  r.timeline.focus();
  for (int i = 0; i < 2; ++i) r.frame(room);
  REQUIRE(r.timeline.focused());
  const int64_t length = r.timeline.to_ns() - r.timeline.from_ns();
  r.press(room, ui::Key::kEqual);
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() < length);
  r.press(room, ui::Key::kMinus);
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() == Approx(static_cast<double>(length)));
  const int64_t from = r.timeline.from_ns();
  r.press(room, ui::Key::kLeft);
  CHECK(r.timeline.from_ns() < from);
  for (int i = 0; i < 60; ++i) r.press(room, ui::Key::kEqual);
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() == 1000);
  r.press(room, ui::Key::kHome);
  CHECK(r.timeline.from_ns() == r.made.start_ns);
  CHECK(r.timeline.to_ns() == r.made.end_ns);
}

TEST_CASE("a click pins what is below the mouse until Escape or a click elsewhere") {
  Windowless room(1056, 300);
  Room r(test::small_section(4));
  for (int i = 0; i < 2; ++i) r.frame(room);
  const auto click = [&](ImVec2 place) {
    room.mouse_to(place);
    for (const bool down : {false, true, false}) {
      room.button(down);
      r.frame(room);
    }
  };
  click(r.place("tl.r2", r.made.start_ns + 6 * kMs + kMs / 3, 0.8f));  // the reduce-scatter
  CHECK(r.timeline.pinned());
  r.frame(room);
  CHECK(ui::find_item("tl.pinned") != nullptr);
  CHECK(room.faults() == "");
  click(r.place("tl.r2", r.made.start_ns + 9 * kMs + kMs / 2, 0.8f));  // nothing there
  CHECK_FALSE(r.timeline.pinned());
  click(r.place("tl.r0", r.made.start_ns + 4 * kMs + kMs / 2, 0.2f));  // a backward
  CHECK(r.timeline.pinned());
  r.press(room, ui::Key::kEscape);
  CHECK_FALSE(r.timeline.pinned());
}

TEST_CASE("what is pinned says who came last, and its note goes with it out of sight") {
  test::Synthetic made;
  made.store = TraceStore::create("late");
  made.recorders = made.store->add_section("late", {}, 3);
  for (int rank = 0; rank < 3; ++rank) {
    test::RankWriter pen(*made.store, *made.recorders[static_cast<size_t>(rank)]);
    const int64_t late = rank == 2 ? 4 * kMs : 0;
    for (int i = 0; i < 2; ++i)  // two micro-batches
      pen.span("forward", (3 * i + 1) * kMs, (3 * i + 2) * kMs, 0, "layer 0");
    pen.collective(Op::kAllReduce, "gradients", "", 6 * kMs + late, 10 * kMs, 11 * kMs);
    pen.span("step", kMs, 12 * kMs, 0);
  }
  made.busy_ns = 2 * kMs;
  made.snapshot();
  Windowless room(1056, 300);
  Room r(std::move(made));
  for (int i = 0; i < 2; ++i) r.frame(room);
  const auto click = [&](ImVec2 place) {
    room.mouse_to(place);
    for (const bool down : {false, true, false}) {
      room.button(down);
      r.frame(room);
    }
    r.frame(room);
  };
  click(r.place("tl.r1", 10 * kMs + kMs / 2, 0.8f));
  REQUIRE(r.timeline.pinned());
  CHECK(r.timeline.pinned_text().find("rank 2 came last, 4.0 ms after rank 1") != std::string::npos);
  CHECK(r.timeline.partners() == 2);
  CHECK(ui::find_item("tl.pinned") != nullptr);
  CHECK(room.faults() == "");
  r.timeline.show(kMs, 3 * kMs);
  r.frame(room);
  CHECK(r.timeline.pinned());
  CHECK(ui::find_item("tl.pinned") == nullptr);
  r.timeline.show_all();
  r.frame(room);
  CHECK(ui::find_item("tl.pinned") != nullptr);
  room.look().covered = true;
  r.frame(room);
  CHECK(ui::find_item("tl.pinned") == nullptr);
  room.look().covered = false;
  click(r.place("tl.r0", 4 * kMs + kMs / 2, 0.2f));  // the second forward
  REQUIRE(r.timeline.pinned());
  CHECK(r.timeline.partners() == 2);
  CHECK(r.timeline.pinned_text().find("came last") == std::string::npos);  // all began at once
}

TEST_CASE("the strip above says which part is seen, and moves it") {
  Windowless room(1056, 300);
  Room r(test::small_section(4));
  r.frame(room);
  r.timeline.show(r.made.start_ns, r.made.start_ns + 2 * kMs);
  r.frame(room);
  const ui::Item strip = *ui::find_item("tl.overview");
  CHECK(strip.max.y <= ui::find_item("tl.ruler")->min.y);
  room.mouse_to(ImVec2{(strip.min.x + strip.max.x) / 2, (strip.min.y + strip.max.y) / 2});
  for (const bool down : {false, true, false}) {
    room.button(down);
    r.frame(room);
  }
  CHECK_FALSE(r.sought);
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() == 2 * kMs);
  const int64_t middle = (r.timeline.from_ns() + r.timeline.to_ns()) / 2;
  CHECK(static_cast<double>(middle - r.made.start_ns) ==
        Approx(static_cast<double>(r.made.end_ns - r.made.start_ns) / 2).margin(kMs / 50));
  room.mouse_to(ImVec2{strip.max.x - 1, strip.min.y + 1});
  for (const bool down : {false, true, false}) {
    room.button(down);
    r.frame(room);
  }
  CHECK(r.timeline.to_ns() == r.made.end_ns);
}

TEST_CASE("a live trace stays in sight until the user pans") {
  Windowless room(1056, 300);
  Room r(test::small_section(2, false));
  for (int i = 0; i < 2; ++i) r.frame(room, true);
  CHECK(r.timeline.to_ns() == r.index.last_ns());
  CHECK(r.index.rank(0).open.size() == 2);  // one started, one waiting
  const auto grow = [&](int64_t until) {
    r.made.recorders[0]->span("backward", until - kMs, until, 0);
    r.made.snapshot();
    r.index.update(r.made.trace, r.made.section);
    r.playhead = until;
    r.frame(room, true);
  };
  grow(r.made.start_ns + 20 * kMs);
  CHECK(r.timeline.to_ns() == r.made.start_ns + 20 * kMs);
  r.timeline.show(r.made.start_ns, r.made.start_ns + 2 * kMs);
  r.frame(room, true);
  CHECK(r.timeline.to_ns() == r.made.start_ns + 2 * kMs);
}

TEST_CASE("more ranks than rows: the rest is a scroll away") {
  Windowless room(800, 200);
  Room r(test::small_section(8));
  r.timeline.options.max_rows = 3;
  r.timeline.focus();
  for (int i = 0; i < 2; ++i) r.frame(room);
  CHECK(ui::find_item("tl.r2") != nullptr);
  CHECK(ui::find_item("tl.r3") == nullptr);
  for (int i = 0; i < 9; ++i) r.press(room, ui::Key::kDown);
  CHECK(ui::find_item("tl.r4") == nullptr);
  CHECK(ui::find_item("tl.r7") != nullptr);
  CHECK(room.faults() == "");
}

TEST_CASE("lanes hold what does not overlap, whatever the order it came in") {
  ui::TimelineLane lane;
  CHECK(lane.insert({10, 20, 0, 1}));
  CHECK(lane.insert({30, 40, 1, 1}));
  CHECK_FALSE(lane.insert({15, 25, 2, 1}));
  CHECK_FALSE(lane.insert({35, 50, 3, 1}));
  CHECK_FALSE(lane.insert({5, 60, 4, 1}));
  CHECK(lane.insert({22, 28, 5, 2}));
  CHECK(lane.insert({1, 10, 6, 1}));
  REQUIRE(lane.size() == 4);
  for (size_t i = 1; i < lane.size(); ++i) CHECK(lane[i - 1].end_ns <= lane[i].start_ns);
  CHECK(lane.busy_ns(0, 4) == 9 + 10 + 6 + 10);
  CHECK(lane.busy_ns(1, 3) == 16);
  CHECK(lane.alike(0, 2));
  CHECK_FALSE(lane.alike(0, 3));
  CHECK(lane.first_ending_after(20) == 2);
  CHECK(lane.first_starting_at(20) == 2);
}

TEST_CASE("the same collective is found on every rank") {
  const test::Synthetic made = test::small_section(4);
  ui::TimelineIndex index;
  index.update(made.trace, made.section);
  const auto events = made.section.collectives(0);
  for (size_t i = 0; i < events.size(); ++i)
    for (int rank = 0; rank < 4; ++rank)
      if (events[i].state == CollectiveState::kCompleted)
        CHECK(index.start_of(events[i], rank) == events[i].time_started_ns);
}

TEST_CASE("steps that nothing lies in are the row, and can be pointed at") {
  const auto store = TraceStore::create("x");
  Recorder& recorder = *store->add_section("pairs", {}, 1).at(0);
  recorder.span("pair", 10 * kMs, 20 * kMs - 1, 0, "x & y");
  recorder.span("pair", 20 * kMs, 30 * kMs, 1, "x & z");
  test::Synthetic made{store, {&recorder}, {}, {}, 10 * kMs, 15 * kMs, 30 * kMs};
  made.snapshot();
  Windowless room(600, 200);
  Room r(made);
  CHECK_FALSE(r.index.only_steps());  // "pair" is work where a step is a "step"
  r.index.update(r.made.trace, r.made.section, "pair");
  CHECK(r.index.only_steps());
  CHECK(r.index.rank(0).steps.size() == 2);
  r.frame(room);
  room.mouse_to(r.place("tl.r0", 25 * kMs, 0.5f));
  for (const bool down : {true, false}) {
    r.frame(room);
    room.button(down);
  }
  r.frame(room);
  r.frame(room);
  CHECK(r.timeline.pinned());
  recorder.span("work", 12 * kMs, 13 * kMs, 0);
  r.made.snapshot();
  r.index.update(r.made.trace, r.made.section, "pair");
  CHECK_FALSE(r.index.only_steps());
}

TEST_CASE("a million events: a frame costs its pixels at every zoom") {
  constexpr int kRanks = 8;
  const test::Synthetic made = test::huge_section(kRanks, 1000000);
  Windowless room(1056, 400);
  Room r(made);
  r.timeline.options.memory_rank = 0;
  const auto cpu_ms = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
  };
  const double start = cpu_ms();
  ui::TimelineIndex again;
  again.update(made.trace, made.section);
  const double indexed = cpu_ms() - start;
  r.frame(room);
  const size_t anew = r.timeline.looked_at();
  r.frame(room);
  CHECK(r.timeline.looked_at() + 3 * 400 < anew);  // the strip of memory is computed once
  const int64_t first = r.index.first_ns(), last = r.index.last_ns();
  double worst = 0;
  for (int64_t length = last - first; length >= 1000; length /= 7) {
    for (const double share : {0.0, 0.3, 0.77, 1.0}) {
      const int64_t from = first + static_cast<int64_t>(share * static_cast<double>(last - first - length));
      r.timeline.show(from, from + length);
      r.playhead = from + length / 3;
      room.mouse_to(ImVec2{static_cast<float>(100 + 900 * share), 120});
      const double before = cpu_ms();
      r.frame(room);
      worst = std::max(worst, cpu_ms() - before);
      CHECK(r.timeline.looked_at() < 40 * 1056);
      CHECK(room.vertices() < 64000);
      CHECK(room.faults() == "");
    }
  }
  std::cout << "timeline, 1e6 events, 8 ranks: at most " << worst << " ms of CPU a frame, " << indexed
            << " ms to index all\n";
}
