// The lesson as a front end runs it, and claims and figures of doctored traces.
#include <cstdlib>

#include "catch.h"
#include "check_text.h"
#include "parts.h"
#include "patience.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/session/session.h"
#include "run_a_lesson.h"

namespace ringside::lessons::generators {
Lesson make_lesson();
}

using namespace ringside;
using namespace ringside::generators_lesson;

namespace {

const Lesson& lesson() {
  static const Lesson made = testing::lesson_alone("generators", lessons::generators::make_lesson());
  return made;
}

Config config_of(const std::vector<std::string>& words) { return testing::scenario_of(lesson(), words); }

Trace run(const std::vector<std::string>& words = {}) { return testing::run_lesson(lesson(), words); }

Verdict verdict_of(const Trace& trace, const std::string& id) {
  return testing::judge_alone(lesson(), id, trace).verdict;
}

figure::Value figure_of(const Trace& trace, size_t nth) {
  const Config config = config_of({});
  const FigureSpec& spec = lesson().figures.at(nth);
  return figure::compute(lesson(), spec, default_input(config, spec, trace));
}

// A Python section with these steps; `printed`: what source, caught and the run itself printed.
Trace doctored(const std::vector<Step>& steps, const std::string& source, const std::string& caught) {
  const auto store = TraceStore::create("generators");
  Recorder& cpp = *store->add_section(kCpp, {}, 1).at(0);
  record_row(cpp, Printed{"source", kCpp, "0 1 3 4"});
  cpp.span("step", 0, 1);
  Recorder& python = *store->add_section(kPython, {}, 1).at(0);
  record_row(python, Printed{"source", kPython, source});
  record_row(python, Printed{"caught", kPython, caught});
  for (const Step& step : steps) record_row(python, step);
  python.span("step", 0, now_ns());
  return store->snapshot();
}
const std::string kFew = "0 1 3 4", kAll = "0 1 2 3 4 5 6 7 8 9 0 1 3 4";
const std::vector<Step> kReturned = {{3, "numbers(0)", "return", "range_iterator"},
                                     {1, kByHand, "stop", "range_iterator"},
                                     {3, kByHand, "left", "10"}};

}  // namespace

TEST_CASE("every variant runs in Python, and prints and answers as is known") {
  for (const std::string& variant : kVariants) {
    const Trace trace = run({"variant=" + variant});
    CHECK(trace.rows().lines.empty());
    const SectionView* python = trace.find(kPython);
    REQUIRE(python != nullptr);
    for (const Printed& row : rows_as<Printed>(*python))
      CHECK(row.numbers == (row.variant == "source" ? kFew : kAll));
    CHECK(rows_as<Printed>(*python).size() == kVariants.size());
    const Config config = config_of({"variant=" + variant});
    for (const PredictionSpec& question : lesson().predictions) {
      INFO(variant << ", " << question.id);
      CHECK(question.words->measured(trace) == question.words->right(config));
    }
    for (const ClaimSpec& claim : lesson().claims) {
      INFO(variant << ", " << claim.id << ": " << claim.judge(trace).evidence);
      const bool no_return = claim.id == "stop" && (variant == "yield_from" || variant == "no_yield");
      if (no_return)
        CHECK(claim.judge(trace).verdict != Verdict::kHolds);
      else
        CHECK(claim.judge(trace).verdict == (claim.id == "lost" ? Verdict::kFails : Verdict::kHolds));
    }
  }
}

TEST_CASE("every figure can be shown, of every section") {
  const Trace trace = run();
  const Config config = config_of({});
  for (const FigureSpec& spec : lesson().figures)
    for (const SectionView& section : trace.sections()) {
      const FigureInput input{config, trace, &section, time_range(section).last};
      CHECK_FALSE(std::holds_alternative<figure::Nothing>(figure::compute(lesson(), spec, input)));
    }
}

TEST_CASE("the listing ends at line 3, whose iterator nobody has touched") {
  const auto listing = std::get<figure::Listing>(figure_of(run(), 0));
  CHECK(listing.current == 2U);
  CHECK(lacks(listing.lines.at(2).value, {"returns range_iterator", "10 left in it"}) == "");
  CHECK(listing.lines.at(4).value == "yields 0 1");
  CHECK(listing.lines.at(10).value == "prints 0 1 3 4");
  const Config config = config_of({});
  const Trace trace = run();
  CHECK(lesson().readouts({config, trace, trace.find(kPython), INT64_MAX}).at(0).value == "0 1 3 4");
  CHECK(lesson().readouts({config, trace, trace.find(kPython), 1}).at(0).value == "nothing");
}

TEST_CASE("the program stands beside its questions, without what it gives") {
  for (const PredictionSpec& question : lesson().predictions) CHECK(question.figure == kProgram);
  const auto program = std::get<figure::Listing>(figure_of(run(), lesson().figures.size() - 1));
  CHECK(program.lines.size() == 11);
  for (const figure::SourceLine& line : program.lines) CHECK(line.value.empty());
  CHECK(lesson().figures.back().answers.empty());
}

TEST_CASE("at its first step the listing has no values yet") {
  const Trace trace = run();
  const Config config = config_of({});
  const FigureSpec& spec = lesson().figures.at(0);
  const auto at_start = figure::compute(lesson(), spec, {config, trace, trace.find(kPython), 1});
  const auto& listing = std::get<figure::Listing>(at_start);
  for (const figure::SourceLine& line : listing.lines) CHECK(line.value.empty());
  CHECK(listing.current == 0U);
}

TEST_CASE("a doctored trace changes each verdict") {
  const Trace good = doctored(kReturned, kFew, kAll);
  CHECK(verdict_of(good, "output") == Verdict::kHolds);
  CHECK(verdict_of(good, "stop") == Verdict::kHolds);
  CHECK(verdict_of(good, "lost") == Verdict::kFails);
  CHECK(verdict_of(good, "coroutine") == Verdict::kHolds);

  const Trace handed_on = doctored({kReturned[0], {1, kByHand, "yield", "0"}, kReturned[2]}, kAll, kFew);
  CHECK(verdict_of(handed_on, "output") == Verdict::kFails);
  CHECK(verdict_of(handed_on, "stop") == Verdict::kFails);
  CHECK(verdict_of(handed_on, "lost") == Verdict::kHolds);
  CHECK(verdict_of(handed_on, "coroutine") == Verdict::kFails);

  CHECK(verdict_of(doctored({}, kFew, kAll), "stop") == Verdict::kNotTestable);
}

TEST_CASE("a doctored trace changes each figure") {
  const Trace good = doctored(kReturned, kFew, kAll);
  const Trace other = doctored({{5, "numbers(1)", "yield", "7"}, {11, "main", "print", "7"}}, "7", kAll);
  CHECK(std::get<figure::Listing>(figure_of(other, 0)).current == 10U);
  CHECK(std::get<figure::Listing>(figure_of(good, 0)).current == 2U);
  CHECK(std::get<figure::Lanes>(figure_of(good, 1)).arrows.at(0).lost);
  CHECK_FALSE(std::get<figure::Lanes>(figure_of(other, 1)).arrows.at(0).lost);
  CHECK(std::get<figure::Table>(figure_of(other, 2)).rows.at(1).at(2).text == "7");
}

TEST_CASE("without Python the coroutines run, and the package is named") {
  ::setenv("RINGSIDE_PYTHON", "/no/python", 1);
  const Trace trace = run();
  ::unsetenv("RINGSIDE_PYTHON");
  CHECK(trace.find(kPython) == nullptr);
  CHECK(rows_as<Printed>(*trace.find(kCpp)).at(0).numbers == kFew);
  CHECK(lacks(trace.rows().lines.at(0), {"package is python3"}) == "");
  for (const ClaimSpec& claim : lesson().claims) CHECK(claim.judge(trace).verdict == Verdict::kNotTestable);
  CHECK(std::holds_alternative<figure::Listing>(figure_of(trace, 0)));
}

TEST_CASE("the run is paused, stepped and cancelled, in Python as well") {
  Session session(lesson(), config_of({}));
  session.control().pause();
  const auto steps = [&] {
    size_t count = 0;
    const Trace now = session.snapshot();
    for (const SectionView& section : now.sections()) count += section.rows_of(Step::kTable).size();
    return count;
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const size_t at_pause = steps();
  for (size_t taken = 0; taken < 20; ++taken) {  // past the coroutines, into Python
    const size_t before = steps();
    session.control().step();
    CHECK(testing::eventually([&] { return steps() > before; }));
  }
  CHECK(steps() <= at_pause + 21);  // one may have been on its way
  CHECK(session.snapshot().find(kPython) != nullptr);
  session.control().cancel();
  CHECK(testing::finishes(session));
  CHECK_FALSE(session.result().complete());
}
