#include "ringside/trace/trace.h"

#include "catch.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"

using namespace ringside;

TEST_CASE("an empty trace can be asked") {
  const Trace trace;
  CHECK(trace.sections().empty());
  CHECK(trace.find("stage 1") == nullptr);
  CHECK(trace.name(0).empty());
  CHECK_THROWS_AS(trace.name(1), InvariantError);
  CHECK(trace.scenario().empty());
  CHECK_FALSE(trace.complete());
  CHECK(trace.rows().claims.empty());
}

TEST_CASE("a store keeps sections, each with its own ranks") {
  auto store = TraceStore::create("zero ranks=3");
  const auto one = store->add_section("stage 1", {{"psi", "1e6"}, {"note", "x"}}, 3);
  const auto two = store->add_section("stage 2", {}, 1);
  REQUIRE(one.size() == 3);
  CHECK(one[2]->rank() == 2);
  one[2]->note("here", 5, "layer 1");
  two[0]->scalar("loss", 4, 0.5);

  const Trace trace = store->snapshot();
  CHECK(trace.scenario() == "zero ranks=3");
  REQUIRE(trace.sections().size() == 2);
  const SectionView& section = *trace.find("stage 1");
  CHECK(section.ranks() == 3);
  CHECK(section.notes(0).empty());
  REQUIRE(section.notes(2).size() == 1);
  const NoteEvent& note = section.notes(2)[0];
  CHECK(trace.name(note.name) == "here");
  CHECK(trace.name(note.unit) == "layer 1");
  CHECK(note.step == 5);
  CHECK(note.rank == 2);
  CHECK(trace.find("stage 2")->scalars(0)[0].value == 0.5);
  CHECK(section.number("psi") == 1e6);
  CHECK(section.text("note") == "x");
  CHECK_THROWS_AS(section.number("note"), InvariantError);
  CHECK_THROWS_AS(section.text("missing"), InvariantError);
  CHECK_THROWS_AS(section.notes(3), InvariantError);
  CHECK_THROWS_AS(section.notes(-1), InvariantError);
  CHECK_THROWS_AS(store->add_section("stage 1", {}, 1), InvariantError);
  CHECK_THROWS_AS(store->set_attributes("stage 9", {}), InvariantError);
}

TEST_CASE("a name is one id, and 0 is the empty one; a trace outlives its store's last writer") {
  auto store = TraceStore::create("");
  CHECK(store->intern("") == 0);
  const NameId id = store->intern("layer 1");
  CHECK(id != 0);
  CHECK(store->intern(std::string("layer 1")) == id);
  CHECK(store->intern("layer 2") != id);
  CHECK(store->name(id) == "layer 1");
  CHECK_THROWS_AS(store->name(99), InvariantError);
  auto last = TraceStore::create("");
  last->add_section("a", {}, 1).front()->note("kept");
  const Trace trace = last->snapshot();
  last.reset();
  CHECK(trace.name(trace.find("a")->notes(0)[0].name) == "kept");
}

TEST_CASE("a snapshot does not change with what comes after it") {
  auto store = TraceStore::create("");
  Recorder& recorder = *store->add_section("a", {{"key", "old"}}, 1).front();
  recorder.memory({.time_ns = 1, .live_bytes = 10, .category = Category::kGradients});
  const Trace before = store->snapshot();

  recorder.memory({.time_ns = 2, .live_bytes = 99, .category = Category::kGradients});
  recorder.collective({.elements = 3});
  store->set_attributes("a", {{"key", "new"}, {"more", "1"}});
  TraceRows rows;
  rows.claims.resize(1);
  store->set_rows(rows);
  store->set_complete();
  store->add_section("b", {}, 1);

  const SectionView& section = before.sections().front();
  CHECK(before.sections().size() == 1);
  CHECK(section.memory(0, Category::kGradients).size() == 1);
  CHECK(section.memory_pyramid(0, Category::kGradients).range(0, 1)->max == 10);
  CHECK(section.collectives(0).empty());
  CHECK(section.attributes() == Attributes{{"key", "old"}});
  CHECK(before.rows().claims.empty());
  CHECK_FALSE(before.complete());

  const Trace after = store->snapshot();
  CHECK(after.sections().front().attributes() == Attributes{{"key", "new"}, {"more", "1"}});
  CHECK(after.sections().front().memory(0, Category::kGradients).size() == 2);
  CHECK(after.rows().claims.size() == 1);
  CHECK(after.complete());
}

TEST_CASE("a rank joins a section that is open, and leaves it") {
  auto store = TraceStore::create("");
  const auto first = store->add_section("a", {}, 2);
  const Trace before = store->snapshot();
  Recorder* late = store->add_rank("a");
  CHECK(late->rank() == 2);
  late->note("here");
  const Trace joined = store->snapshot();
  first[0]->end(77);
  const Trace left = store->snapshot();

  CHECK(before.sections()[0].ranks() == 2);
  CHECK_THROWS_AS(before.sections()[0].notes(2), InvariantError);
  REQUIRE(joined.sections()[0].ranks() == 3);
  CHECK(joined.sections()[0].notes(2).size() == 1);
  CHECK(joined.sections()[0].life(2).began_ns.value() <= joined.sections()[0].notes(2)[0].time_ns);
  CHECK_FALSE(joined.sections()[0].life(2).ended_ns);
  CHECK_FALSE(joined.sections()[0].life(0).began_ns);
  CHECK_FALSE(joined.sections()[0].life(0).ended_ns);
  CHECK(left.sections()[0].life(0).ended_ns == 77);
  CHECK_THROWS_AS(first[0]->end(), InvariantError);
  CHECK_THROWS_AS(late->begin(), InvariantError);
  CHECK_THROWS_AS(store->add_rank("b"), InvariantError);
}

TEST_CASE("ranks join while others write and a reader looks") {
  constexpr int kJoin = 200;
  auto store = TraceStore::create("");
  store->add_section("a", {}, 0);
  std::vector<std::thread> writers;
  for (int thread = 0; thread < 2; ++thread)
    writers.emplace_back([store] {
      for (int i = 0; i < kJoin; ++i) {
        Recorder* recorder = store->add_rank("a");
        recorder->note("rank " + std::to_string(recorder->rank()));
        recorder->end();
      }
    });
  bool own = true;
  for (int seen = 0; seen < 2 * kJoin;) {
    const Trace trace = store->snapshot();
    const SectionView& section = trace.sections().front();
    for (int rank = 0; rank < section.ranks(); ++rank)
      for (const NoteEvent& note : section.notes(rank))
        own = own && trace.name(note.name) == "rank " + std::to_string(rank);
    seen = section.ranks();
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(own);
  CHECK(store->snapshot().sections().front().life(2 * kJoin - 1).ended_ns);
}

TEST_CASE("a section with a clock of its own is stamped by it") {
  const auto clock = std::make_shared<VirtualClock>(1000);
  auto store = TraceStore::create("");
  Recorder& recorder = *store->add_section("simulated", {}, 1, clock).front();
  recorder.note("a");
  {
    const SpanScope span(recorder, "s");
    clock->set(1500);
  }
  recorder.scalar("loss", 1, 0.5);
  clock->set(9000);
  Recorder& late = *store->add_rank("simulated");
  late.row(store->declare({"t", {{"x"}}}), {"y"});
  late.end();

  const Trace trace = store->snapshot();
  const SectionView& section = trace.sections().front();
  CHECK(section.notes(0)[0].time_ns == 1000);
  CHECK(section.spans(0)[0].start_ns == 1000);
  CHECK(section.spans(0)[0].end_ns == 1500);
  CHECK(section.scalars(0)[0].time_ns == 1500);
  CHECK(section.life(1).began_ns == 9000);
  CHECK(section.rows(1)[0].time_ns == 9000);
  CHECK(section.life(1).ended_ns == 9000);
}

TEST_CASE("a span scope records what passed, also by an exception") {
  auto store = TraceStore::create("");
  Recorder& recorder = *store->add_section("a", {}, 1).front();
  const int64_t before = now_ns();
  try {
    const SpanScope outer(recorder, "step", 3);
    const SpanScope inner(recorder, "forward", 3, "layer 1");
    throw InputError("stop");
  } catch (const InputError&) {
  }
  const Trace trace = store->snapshot();
  const auto spans = trace.find("a")->spans(0);
  REQUIRE(spans.size() == 2);
  CHECK(trace.name(spans[0].name) == "forward");  // the inner one ends first
  CHECK(trace.name(spans[0].unit) == "layer 1");
  CHECK(trace.name(spans[1].name) == "step");
  CHECK(spans[1].step == 3);
  CHECK(before <= spans[1].start_ns);
  CHECK(spans[1].start_ns <= spans[0].start_ns);
  CHECK(spans[0].end_ns <= spans[1].end_ns);
}

TEST_CASE("snapshots are consistent while several threads write") {
  constexpr int kRanks = 3, kEvents = 10'000;
  auto store = TraceStore::create("");
  const auto recorders = store->add_section("a", {}, kRanks);
  std::vector<std::thread> writers;
  for (Recorder* recorder : recorders)
    for (int half = 0; half < 2; ++half)  // the rank's own thread and its communication thread
      writers.emplace_back([recorder, store, half] {
        for (int i = 0; i < kEvents; ++i) {
          recorder->span("span " + std::to_string(i % 500), i, i + 1, i);
          recorder->memory({.time_ns = i, .live_bytes = i, .category = Category::kBuffers});
          if (i % 1000 == 0) store->set_attributes("a", {{"at", std::to_string(i + half)}});
        }
      });

  std::vector<size_t> last(kRanks);
  bool names_known = true, grows = true, pyramids_hold = true;
  for (bool done = false; !done;) {
    const Trace trace = store->snapshot();
    const SectionView& section = trace.sections().front();
    done = true;
    for (int rank = 0; rank < kRanks; ++rank) {
      const auto spans = section.spans(rank);
      for (size_t i = last[static_cast<size_t>(rank)]; i < spans.size(); ++i)
        names_known =
            names_known && trace.name(spans[i].name) == "span " + std::to_string(spans[i].step % 500);
      grows = grows && spans.size() >= last[static_cast<size_t>(rank)];
      last[static_cast<size_t>(rank)] = spans.size();
      const size_t points = section.memory(rank, Category::kBuffers).size();
      const auto range = section.memory_pyramid(rank, Category::kBuffers).range(0, points);
      pyramids_hold = pyramids_hold && (points == 0 || range->max < kEvents);
      done = done && spans.size() == 2 * kEvents;
    }
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(names_known);
  CHECK(grows);
  CHECK(pyramids_hold);
}

TEST_CASE("a million events are cheap to publish and to ask", "[one_thread]") {
  constexpr int64_t kEvents = 1'000'000;
  const auto start = std::chrono::steady_clock::now();
  auto store = TraceStore::create("");
  Recorder& recorder = *store->add_section("a", {}, 1).front();
  for (int64_t i = 0; i < kEvents; ++i)
    recorder.memory({.time_ns = i, .live_bytes = i ^ 0x55, .category = Category::kParameters});
  // Ten thousand copies of a million events would take minutes.
  Trace trace;
  for (int i = 0; i < 10'000; ++i) trace = store->snapshot();
  const SectionView& section = trace.sections().front();
  const Pyramid& pyramid = section.memory_pyramid(0, Category::kParameters);
  double highest = 0;
  for (int i = 0; i < 10'000; ++i) highest = pyramid.range(static_cast<size_t>(i), kEvents - 1)->max;
  CHECK(section.memory(0, Category::kParameters).size() == kEvents);
  CHECK(highest >= kEvents - 128);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}
