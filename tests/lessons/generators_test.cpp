// The lesson as a front end runs it, and claims and figures of doctored traces.
#include "check_text.h"
#include "generators/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::generators {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("generators", make_lesson());

Trace run(const std::vector<std::string>& words = {}) { return run_lesson(kLesson, words); }

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

TEST_CASE("generators: every variant runs in Python, and prints and answers as is known") {
  for (const std::string& variant : kVariants) {
    const Trace trace = run({"variant=" + variant});
    CHECK(trace.rows().lines.empty());
    const SectionView* python = trace.find(kPython);
    REQUIRE(python != nullptr);
    for (const Printed& row : rows_as<Printed>(*python))
      CHECK(row.numbers == (row.variant == "source" ? kFew : kAll));
    CHECK(rows_as<Printed>(*python).size() == kVariants.size());
    check_answers(kLesson, {"variant=" + variant}, trace);
    const bool returns = variant == "source" || variant == "caught";
    const std::string stop = returns ? "holds" : "not_testable";  // in the others nothing is raised
    CHECK(verdicts_of(trace) == "output holds, stop " + stop + ", lost fails, coroutine holds");
  }
}

TEST_CASE("generators: every figure can be shown; the listing ends at line 3, nothing touched") {
  const auto listing = figure_as<figure::Listing>(kLesson, "listing", run());
  CHECK(listing.current == 2U);
  CHECK(lacks(listing.lines.at(2).value, {"returns range_iterator", "10 left in it"}) == "");
  CHECK(listing.lines.at(4).value == "yields 0 1");
  CHECK(listing.lines.at(10).value == "prints 0 1 3 4");
  const Config config = scenario_of(kLesson, {});
  const Trace trace = run();
  CHECK(kLesson.readouts({config, trace, trace.find(kPython), INT64_MAX}).at(0).value == "0 1 3 4");
  CHECK(kLesson.readouts({config, trace, trace.find(kPython), 1}).at(0).value == "nothing");
  check_shown(kLesson, run());
}

TEST_CASE("generators: the program stands beside its questions; a doctored trace changes all") {
  for (const PredictionSpec& question : kLesson.predictions) CHECK(question.figure == "program");
  const auto program = figure_as<figure::Listing>(kLesson, "program", run());
  CHECK(program.lines.size() == 11);
  for (const figure::SourceLine& line : program.lines) CHECK(line.value.empty());
  CHECK(kLesson.figures.back().answers.empty());
  const Trace trace = run();
  const Config config = scenario_of(kLesson, {});
  const FigureSpec& spec = kLesson.figures.at(0);
  const auto at_start = figure::compute(kLesson, spec, {config, trace, trace.find(kPython), 1});
  const auto& listing = std::get<figure::Listing>(at_start);
  for (const figure::SourceLine& line : listing.lines) CHECK(line.value.empty());
  CHECK(listing.current == 0U);
  CHECK(verdicts_of(kLesson, doctored(kReturned, kFew, kAll)) ==
        "output holds, stop holds, lost fails, coroutine holds");
  const std::vector<Step> handed_on = {kReturned[0], {1, kByHand, "stop", "None"}, kReturned[2]};
  CHECK(verdicts_of(kLesson, doctored(handed_on, kAll, kFew)) ==
        "output fails, stop fails, lost holds, coroutine fails");
  CHECK(verdicts_of(kLesson, doctored({}, kFew, kAll)) ==
        "output holds, stop not_testable, lost fails, coroutine holds");
  const std::vector<Step> passed_on = {{1, kByHand, "yield", "0"}, {7, kByHand, "left", "0"}};
  CHECK(verdicts_of(kLesson, doctored(passed_on, kAll, kAll)).find("stop not_testable") != std::string::npos);
  const Trace good = doctored(kReturned, kFew, kAll);
  const Trace other = doctored({{5, "numbers(1)", "yield", "7"}, {11, "main", "print", "7"}}, "7", kAll);
  CHECK(figure_as<figure::Listing>(kLesson, "listing", other).current == 10U);
  CHECK(figure_as<figure::Listing>(kLesson, "listing", good).current == 2U);
  const auto name_in = [](const Trace& of) {
    return figure_as<figure::Lanes>(kLesson, "lanes", of).arrows.at(0).name;
  };
  CHECK(name_in(good) == "range_iterator, which for ignores");
  CHECK(name_in(other) == "7");
  CHECK(figure_as<figure::Table>(kLesson, "variants", other).rows.at(1).at(2).text == "7");
}

TEST_CASE("generators: without Python the coroutines run, and the package is named") {
  ::setenv("RINGSIDE_PYTHON", "/no/python", 1);
  const Trace trace = run();
  ::unsetenv("RINGSIDE_PYTHON");
  CHECK(trace.find(kPython) == nullptr);
  CHECK(rows_as<Printed>(*trace.find(kCpp)).at(0).numbers == kFew);
  CHECK(lacks(trace.rows().lines.at(0), {"package is python3"}) == "");
  check_says_nothing(kLesson, trace);
  CHECK(std::holds_alternative<figure::Listing>(figure_value(kLesson, "listing", trace)));
}

TEST_CASE("generators: the run is paused, stepped and cancelled, in Python as well") {
  Session session(kLesson, scenario_of(kLesson, {}));
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
    CHECK(eventually([&] { return steps() > before; }));
  }
  CHECK(steps() <= at_pause + 21);  // one may have been on its way
  CHECK(session.snapshot().find(kPython) != nullptr);
  session.control().cancel();
  CHECK(finishes(session));
  CHECK_FALSE(session.result().complete());
}

}  // namespace ringside::lessons::generators
