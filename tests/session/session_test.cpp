#include "ringside/session/session.h"

#include "catch.h"
#include "check_text.h"
#include "patience.h"
#include "ringside/base/error.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

// Steps until `limit`, recording each; pauses and stops as a lesson does.
Lesson stepping_lesson(int64_t limit) {
  Lesson lesson;
  lesson.id = "stepping";
  lesson.run = [limit](const Config&, const RunContext& context) {
    Recorder* recorder = context.store.add_section("steps", {}, 1)[0];
    for (int64_t step = 0; step < limit; ++step) {
      auto decision = context.control.decide();
      for (; decision == RunControl::Decision::kPause; decision = context.control.decide())
        context.control.wait_while_paused();
      if (decision == RunControl::Decision::kCancel) throw CancelledError();
      recorder->scalar("step", step, 1);
      context.progress({"stepping", step + 1, limit});
    }
  };
  return lesson;
}

Config no_parameters() { return Config::parse("stepping", {}, {}); }

size_t steps_of(const Trace& trace) {
  const SectionView* section = trace.find("steps");
  return section == nullptr ? 0 : section->scalars(0).size();
}

bool reaches(const Session& session, size_t count) {
  return eventually([&] { return steps_of(session.snapshot()) >= count; });
}
// Its steps, once it takes no more; a run that goes on never comes to rest.
size_t at_rest(const Session& session) {
  size_t before = 0, now = 0;
  REQUIRE(eventually([&] {
    before = now;
    std::this_thread::sleep_for(20ms);
    now = steps_of(session.snapshot());
    return now == before && now > 0;
  }));
  return now;
}

}  // namespace

TEST_CASE("a run comes to its end, complete; a paused one takes one step at a time") {
  const Lesson lesson = stepping_lesson(5);
  Session session(lesson, no_parameters());
  REQUIRE(session.wait_for(kPatience));
  CHECK(session.finished());
  const Trace trace = session.result();
  CHECK(trace.complete());
  CHECK(trace.scenario() == "stepping");
  CHECK(steps_of(trace) == 5);
  CHECK(session.progress().done == 5);
  CHECK(session.progress().phase == "stepping");
  const Lesson slow = stepping_lesson(1'000'000'000);
  Session paused(slow, no_parameters());
  REQUIRE(reaches(paused, 1));
  paused.control().pause();
  const size_t before = at_rest(paused);
  paused.control().step();
  REQUIRE(reaches(paused, before + 1));
  std::this_thread::sleep_for(20ms);
  CHECK(steps_of(paused.snapshot()) == before + 1);
  paused.control().resume();
  CHECK(reaches(paused, before + 3));
}

TEST_CASE("a cancelled run keeps what it recorded; the error of a run is rethrown") {
  Lesson lesson = stepping_lesson(1'000'000'000);
  lesson.claims = {{"c", "", "", [](const Trace&) { return ClaimResult{Verdict::kHolds, "judged"}; }}};
  Session session(lesson, no_parameters());
  REQUIRE(reaches(session, 3));
  session.control().cancel();
  REQUIRE(session.wait_for(kPatience));
  const Trace trace = session.result();
  CHECK_FALSE(trace.complete());
  CHECK(steps_of(trace) >= 3);
  REQUIRE(trace.rows().claims.size() == 1);
  CHECK(trace.rows().claims[0].verdict == Verdict::kNotTestable);
  Lesson failing;
  failing.run = [](const Config&, const RunContext& context) {
    context.store.add_section("steps", {}, 1)[0]->scalar("step", 0, 1);
    throw InputError("no such data");
  };
  Session failed(failing, no_parameters());
  REQUIRE(failed.wait_for(kPatience));
  for (int call = 0; call < 2; ++call) CHECK_THROWS_AS(failed.result(), InputError);
  CHECK(steps_of(failed.snapshot()) == 1);
  const Lesson slow = stepping_lesson(1'000'000'000);
  Session going(slow, no_parameters());
  CHECK_FALSE(going.wait_for(0ms));
  CHECK_THROWS_AS(going.result(), InvariantError);
}

TEST_CASE("a session is destroyed while its run goes on; snapshots may be taken while it writes") {
  const Lesson lesson = stepping_lesson(1'000'000'000);
  for (const bool paused : {false, true}) {
    Session session(lesson, no_parameters());
    if (paused) session.control().pause();
    REQUIRE(reaches(session, paused ? 0 : 1));
  }
  const Lesson writing = stepping_lesson(20000);
  Session written(writing, no_parameters());
  size_t last = 0;
  while (!written.wait_for(0ms)) {
    const size_t now = steps_of(written.snapshot());
    CHECK(now >= last);
    last = now;
  }
  CHECK(steps_of(written.result()) == 20000);
}

TEST_CASE("The run's own thread judges, once, before it counts as finished") {
  std::atomic<int> judged = 0;
  std::thread::id judge;
  Lesson lesson = stepping_lesson(1);
  lesson.claims = {{"c", "", "", [&](const Trace&) {
                      ++judged;
                      judge = std::this_thread::get_id();
                      std::this_thread::sleep_for(20ms);  // finished() must not be true before this
                      return ClaimResult{};
                    }}};
  Session session(lesson, no_parameters());
  REQUIRE(session.wait_for(kPatience));
  CHECK(judged == 1);
  CHECK(session.snapshot().rows().claims.size() == 1);
  session.result();
  session.result();
  CHECK(judged == 1);
  CHECK(judge != std::this_thread::get_id());
}

TEST_CASE("A claim that throws is the run's error, unless the run had one") {
  const bool run_fails = GENERATE(false, true);
  Lesson lesson = stepping_lesson(1);
  lesson.id = "demo";
  if (run_fails) lesson.run = [](const Config&, const RunContext&) { throw InputError("no such data"); };
  lesson.claims = {
      {"broken", "", "", [](const Trace&) -> ClaimResult { throw InputError("nothing there"); }}};
  Session session(lesson, no_parameters());
  REQUIRE(session.wait_for(kPatience));
  for (int call = 0; call < 2; ++call) {
    try {
      session.result();
      FAIL("nothing was thrown");
    } catch (const InputError& error) {
      CHECK(run_fails);
    } catch (const InvariantError& error) {
      CHECK_FALSE(run_fails);
      CHECK(lacks(error.what(), {"claim 'broken'", "nothing there"}) == "");
    }
  }
}

TEST_CASE("A question that contradicts itself fails the run before it begins") {
  Lesson lesson = stepping_lesson(3);
  PredictionSpec asked;
  asked.id = "asked";
  asked.words = WordQuestion{.right = always(Words{"c"}), .options = always(Words{"a", "b"})};
  lesson.predictions = {asked};
  Session session(lesson, no_parameters());
  REQUIRE(finishes(session));
  CHECK(steps_of(session.snapshot()) == 0);
  CHECK(lacks(message_of<InvariantError>([&] { session.result(); }),
              {"lesson 'stepping'", "prediction 'asked'", "'c'"}) == "");
}
