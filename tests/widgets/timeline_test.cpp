// The timeline: what it draws, what can be pointed at, and that a frame costs its pixels.
#include <catch.h>

#include "ringside/widgets/timeline.h"
#include "synthetic_section.h"
#include "windowless.h"

using namespace ringside;
using ringside::test::Windowless;

namespace {

struct Room : Windowless {
  explicit Room(test::Synthetic section, ImVec2 size = {1056, 300}, float scale = 1,
                ui::Mode mode = ui::Mode::kDark)
      : Windowless(size.x * scale, size.y * scale, scale, mode), made(std::move(section)) {
    index.update(made.trace, made.section);
    playhead = made.busy_ns;
    show([this] {
      const auto seek = timeline.draw("tl", ImGui::GetContentRegionAvail(), made.trace, made.section, index,
                                      playhead, follow);
      if (seek) sought = seek;
    });
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
  bool follow = false;
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
  Room r(test::small_section(ranks, complete), size, scale, mode);
  r.timeline.memory_rank = 0;
  r.frames(2);
  CHECK(r.faults() == "");
  CHECK(r.vertices() > 200);
  for (const int64_t length : {3 * kMs, kMs / 10, int64_t{1000}}) {
    r.timeline.show(r.made.busy_ns - length / 2, r.made.busy_ns + length / 2);
    r.frames();
    CHECK(r.faults() == "");
  }
}

TEST_CASE("a timeline of a section without events, and one whose index is of another section") {
  test::Synthetic empty;
  empty.store = TraceStore::create("empty");
  empty.recorders = empty.store->add_section("s", {}, 4);
  empty.snapshot();
  Room r(std::move(empty), {600, 300});
  r.timeline.memory_rank = 0;
  r.frames(2);
  CHECK(r.faults() == "");
  CHECK(r.index.empty());
  r.made.recorders[1]->span("forward", 100, 100);
  r.made.snapshot();
  r.index.update(r.made.trace, r.made.section);
  r.frames();
  CHECK(r.faults() == "");
  Room old(test::small_section(4), {600, 300});
  const test::Synthetic other = test::small_section(2);
  old.made.section = other.section;
  old.frames();
  CHECK(ui::find_item("tl.r0") == nullptr);
  old.index.update(other.trace, other.section);
  old.made.trace = other.trace;
  old.frames();
  CHECK(ui::find_item("tl.r1") != nullptr);
  CHECK(ui::find_item("tl.r2") == nullptr);
}

TEST_CASE("the ruler and the playhead's handle seek") {
  Room r(test::small_section(4));
  r.frames(2);
  const ui::Item ruler = *ui::find_item("tl.ruler");
  r.mouse_to(ImVec2{(ruler.min.x + ruler.max.x) / 2, ruler.min.y + 4});
  r.frames();
  CHECK_FALSE(r.sought);
  r.button(true);
  r.frames();
  REQUIRE(r.sought);
  CHECK(*r.sought == Approx(static_cast<double>(r.made.start_ns + 5 * kMs)).margin(kMs / 50));
  r.mouse_to(ImVec2{ruler.max.x + 300, 200});  // beyond the end, and out of the ruler
  r.frames();
  CHECK(*r.sought == r.made.end_ns);
  r.button(false);
  r.frames();
  r.playhead = r.made.start_ns + 2 * kMs;
  r.frames();
  REQUIRE(r.mouse_to("tl.handle"));
  r.frames();
  r.sought.reset();
  r.button(true);
  r.frames();
  REQUIRE(r.sought);
  CHECK(*r.sought == Approx(static_cast<double>(r.playhead)).margin(kMs / 20));
  r.button(false);
  r.frames();
}

TEST_CASE("wheel and keys zoom where they are, dragging pans, Home shows everything") {
  Room r(test::small_section(4));
  r.frames(2);
  const int64_t at = r.made.start_ns + 3 * kMs;
  const ImVec2 place = r.place("tl.r1", at, 0.2f);
  r.mouse_to(place);
  r.frames();
  for (int i = 0; i < 5; ++i) {
    ui::inject_wheel(1);
    r.frames();
  }
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() < 4 * kMs);
  CHECK(r.place("tl.r1", at, 0.2f).x == Approx(place.x).margin(2));
  const int64_t before = r.timeline.from_ns();
  r.button(true);
  r.frames();
  r.mouse_to(ImVec2{place.x - 200, place.y});
  r.frames();
  r.button(false);
  r.frames();
  CHECK(r.timeline.from_ns() > before);
  CHECK_FALSE(r.timeline.pinned());
  r.timeline.focus();
  r.frames(2);
  REQUIRE(ui::canvas_has_keys());
  const int64_t length = r.timeline.to_ns() - r.timeline.from_ns();
  r.press(ui::Key::kEqual);
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() < length);
  r.press(ui::Key::kMinus);
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() == Approx(static_cast<double>(length)));
  const int64_t from = r.timeline.from_ns();
  r.press(ui::Key::kLeft);
  CHECK(r.timeline.from_ns() < from);
  for (int i = 0; i < 60; ++i) r.press(ui::Key::kEqual);
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() == 1000);
  r.press(ui::Key::kHome);
  CHECK(r.timeline.from_ns() == r.made.start_ns);
  CHECK(r.timeline.to_ns() == r.made.end_ns);
}

TEST_CASE("a click pins what is below the mouse; more ranks than rows are a scroll away") {
  Room r(test::small_section(4));
  r.frames(2);
  r.click(r.place("tl.r2", r.made.start_ns + 6 * kMs + kMs / 3, 0.8f));  // the reduce-scatter
  CHECK(r.timeline.pinned());
  r.frames();
  CHECK(ui::find_item("tl.pinned") != nullptr);
  CHECK(r.faults() == "");
  r.click(r.place("tl.r2", r.made.start_ns + 9 * kMs + kMs / 2, 0.8f));  // nothing there
  CHECK_FALSE(r.timeline.pinned());
  r.click(r.place("tl.r0", r.made.start_ns + 4 * kMs + kMs / 2, 0.2f));  // a backward
  CHECK(r.timeline.pinned());
  r.press(ui::Key::kEscape);
  CHECK_FALSE(r.timeline.pinned());
  Room many(test::small_section(8), {800, 200});
  many.timeline.max_rows = 3;
  many.timeline.focus();
  many.frames(2);
  CHECK(ui::find_item("tl.r2") != nullptr);
  CHECK(ui::find_item("tl.r3") == nullptr);
  for (int i = 0; i < 9; ++i) many.press(ui::Key::kDown);
  CHECK(ui::find_item("tl.r4") == nullptr);
  CHECK(ui::find_item("tl.r7") != nullptr);
  CHECK(many.faults() == "");
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
  Room r(std::move(made));
  r.frames(2);
  r.click(r.place("tl.r1", 10 * kMs + kMs / 2, 0.8f));
  REQUIRE(r.timeline.pinned());
  CHECK(r.timeline.pinned_text().find("rank 2 came last, 4.0 ms after rank 1") != std::string::npos);
  CHECK(r.timeline.partners() == 2);
  CHECK(ui::find_item("tl.pinned") != nullptr);
  CHECK(r.faults() == "");
  r.timeline.show(kMs, 3 * kMs);
  r.frames();
  CHECK(r.timeline.pinned());
  CHECK(ui::find_item("tl.pinned") == nullptr);
  r.timeline.show_all();
  r.frames();
  CHECK(ui::find_item("tl.pinned") != nullptr);
  r.look().covered = true;
  r.frames();
  CHECK(ui::find_item("tl.pinned") == nullptr);
  r.look().covered = false;
  r.click(r.place("tl.r0", 4 * kMs + kMs / 2, 0.2f));  // the second forward
  REQUIRE(r.timeline.pinned());
  CHECK(r.timeline.partners() == 2);
  CHECK(r.timeline.pinned_text().find("came last") == std::string::npos);  // all began at once
}

TEST_CASE("the strip above says what is seen; a live trace stays in sight until the user pans") {
  Room r(test::small_section(4));
  r.frames();
  r.timeline.show(r.made.start_ns, r.made.start_ns + 2 * kMs);
  r.frames();
  const ui::Item strip = *ui::find_item("tl.overview");
  CHECK(strip.max.y <= ui::find_item("tl.ruler")->min.y);
  r.click(ImVec2{(strip.min.x + strip.max.x) / 2, (strip.min.y + strip.max.y) / 2});
  CHECK_FALSE(r.sought);
  CHECK(r.timeline.to_ns() - r.timeline.from_ns() == 2 * kMs);
  const int64_t middle = (r.timeline.from_ns() + r.timeline.to_ns()) / 2;
  CHECK(static_cast<double>(middle - r.made.start_ns) ==
        Approx(static_cast<double>(r.made.end_ns - r.made.start_ns) / 2).margin(kMs / 50));
  r.click(ImVec2{strip.max.x - 1, strip.min.y + 1});
  CHECK(r.timeline.to_ns() == r.made.end_ns);
  Room live(test::small_section(2, false));
  live.follow = true;
  live.frames(2);
  CHECK(live.timeline.to_ns() == live.index.last_ns());
  CHECK(live.index.rank(0).open.size() == 2);  // one started, one waiting
  const auto grow = [&](int64_t until) {
    live.made.recorders[0]->span("backward", until - kMs, until, 0);
    live.made.snapshot();
    live.index.update(live.made.trace, live.made.section);
    live.playhead = until;
    live.frames();
  };
  grow(live.made.start_ns + 20 * kMs);
  CHECK(live.timeline.to_ns() == live.made.start_ns + 20 * kMs);
  live.timeline.show(live.made.start_ns, live.made.start_ns + 2 * kMs);
  live.frames();
  CHECK(live.timeline.to_ns() == live.made.start_ns + 2 * kMs);
}

TEST_CASE("lanes hold what does not overlap, and one collective is found on every rank") {
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
  const test::Synthetic made = test::small_section(4);
  ui::TimelineIndex index;
  index.update(made.trace, made.section);
  const auto events = made.section.collectives(0);
  for (size_t i = 0; i < events.size(); ++i)
    for (int rank = 0; rank < 4; ++rank)
      if (events[i].state == CollectiveState::kCompleted)
        CHECK(index.start_of(events[i], rank) == events[i].time_started_ns);
  // A message's other end, beside one of the same number that goes the other way.
  const auto store = TraceStore::create("messages");
  const auto pens = store->add_section("pair", {}, 2);
  const auto record = [&](int rank, Op op, int64_t start) {
    CollectiveEvent event;
    event.op = op, event.rank = rank, event.peer = 1 - rank, event.state = CollectiveState::kCompleted;
    event.time_created_ns = event.time_started_ns = start, event.time_completed_ns = start + 5;
    pens[static_cast<size_t>(rank)]->collective(event);
    return event;
  };
  const CollectiveEvent send = record(0, Op::kSend, 10);
  record(1, Op::kRecv, 11), record(1, Op::kSend, 30), record(0, Op::kRecv, 31);
  const Trace trace = store->snapshot();
  ui::TimelineIndex of_messages;
  of_messages.update(trace, trace.sections().front());
  CHECK(of_messages.start_of(send, 1) == 11);
}

TEST_CASE("steps that nothing lies in are the row, and can be pointed at") {
  const auto store = TraceStore::create("x");
  Recorder& recorder = *store->add_section("pairs", {}, 1).at(0);
  recorder.span("pair", 10 * kMs, 20 * kMs - 1, 0, "x & y");
  recorder.span("pair", 20 * kMs, 30 * kMs, 1, "x & z");
  test::Synthetic made{store, {&recorder}, {}, {}, 10 * kMs, 15 * kMs, 30 * kMs};
  made.snapshot();
  Room r(made, {600, 200});
  CHECK_FALSE(r.index.only_steps());  // "pair" is work where a step is a "step"
  r.index.update(r.made.trace, r.made.section, "pair");
  CHECK(r.index.only_steps());
  CHECK(r.index.rank(0).steps.size() == 2);
  r.frames();
  r.click(r.place("tl.r0", 25 * kMs, 0.5f));
  CHECK(r.timeline.pinned());
  recorder.span("work", 12 * kMs, 13 * kMs, 0);
  r.made.snapshot();
  r.index.update(r.made.trace, r.made.section, "pair");
  CHECK_FALSE(r.index.only_steps());
}

TEST_CASE("a million events: a frame costs its pixels at every zoom") {
  constexpr int kRanks = 8;
  const test::Synthetic made = test::huge_section(kRanks, 1000000);
  Room r(made, {1056, 400});
  r.timeline.memory_rank = 0;
  r.frames();
  const size_t anew = r.timeline.looked_at();
  r.frames();
  CHECK(r.timeline.looked_at() + 3 * 400 < anew);  // the strip of memory is computed once
  const int64_t first = r.index.first_ns(), last = r.index.last_ns();
  for (int64_t length = last - first; length >= 1000; length /= 7)
    for (const double share : {0.0, 0.3, 0.77, 1.0}) {
      const int64_t from = first + static_cast<int64_t>(share * static_cast<double>(last - first - length));
      r.timeline.show(from, from + length);
      r.playhead = from + length / 3;
      r.mouse_to(ImVec2{static_cast<float>(100 + 900 * share), 120});
      r.frames();
      CHECK(r.timeline.looked_at() < 40 * 1056);
      CHECK(r.vertices() < 64000);
      CHECK(r.faults() == "");
    }
}
