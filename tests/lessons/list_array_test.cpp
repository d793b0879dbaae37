// The lesson as a front end runs it, and claims and figures of doctored traces.
#include "check_text.h"
#include "list_array/parts.h"
#include "ringside/base/clock.h"
#include "ringside/child/python.h"
#include "run_a_lesson.h"
#include "temp_folder.h"

namespace ringside::lessons::list_array {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("list_array", make_lesson());

using Times = std::map<std::string, double>;

// Nine rounds in which each sum takes so many ns a number.
Trace doctored(const Times& changed = {}, double misses = -1, double apart = 32) {
  Times of_python = {{"sum(list)", 10},
                     {"sum(list), shuffled", 80},
                     {"sum(array.array)", 11},
                     {"list, one by one", 20},
                     {"sum(list) of 4", 30},
                     {"numpy.sum(array)", 0.5},
                     {"numpy.sum(list)", 90},
                     {"numpy, one by one", 200},
                     {"numpy.sum(array) of 4", 600},
                     {"numpy.sum(array), all threads", 0.5}};
  Times of_cpp = {{"array, vectorised", 0.25}, {"array", 0.5}, {"array of any type", 0.8},
                  {"pointers, shuffled", 4},   {"list", 1},    {"list, shuffled", 8}};
  for (const auto& [what, ns] : changed) (of_python.contains(what) ? of_python : of_cpp).at(what) = ns;
  const auto store = TraceStore::create("list_array");
  const auto record = [&](const char* name, const Attributes& attributes, const Times& times) {
    Recorder& pen = *store->add_section(name, attributes, 1).at(0);
    for (int64_t round = 0; round < 9; ++round)
      for (const auto& [way, ns] : times) record_row(pen, Timing{way, ns});
    pen.span("step", 0, now_ns(), 0);
  };
  Recorder& sizes = *store->add_section(kSizes, {}, 1).at(0);
  for (const auto& [way, ns] : of_cpp) {
    record_point(sizes, way, 1 << 20, ns);
    if (misses >= 0) record_point(sizes, way + kMisses, 1 << 20, misses);
  }
  for (const char* section : {kCached, kCpp}) record(section, {}, of_cpp);
  record(kPython,
         {{kFloat, 24.0}, {kSlot, 8.0}, {kPacked, 8.0}, {kApart, apart}, {kShare, 0.9}, {kVersion, "3.11"}},
         of_python);
  return store->snapshot();
}

}  // namespace

TEST_CASE("list array: all ways sum the same; the lesson runs, every figure can be shown") {
  for (const size_t count : {1U, 4U, 15U, 16U, 17U, 511U, 513U, 5000U}) {
    const Numbers numbers(count);
    for (const Sum& sum : kSums) CHECK(sum.of(numbers) == numbers.expected());
  }
  RunControl control;
  const bool has_numpy = missing_modules({"numpy"}, control).empty();
  const Trace trace = run_lesson(kLesson, {"elements=256Ki", "rounds=2"});
  CHECK(ns_of(trace.find(kPython), "sum(list)").size() == 2);
  CHECK(ns_of(trace.find(kCpp), "array, vectorised").size() == 2);
  CHECK(ns_of(trace.find(kPython), "numpy.sum(array)").size() == (has_numpy ? 2 : 0));
  CHECK(trace.find(kPython)->number(kSlot) == 8);
  CHECK(trace.find(kPython)->number(kPacked) == 8);
  CHECK(trace.find(kPython)->number(kFloat) == 24);
  CHECK(trace.find(kPython)->number(kApart) == 32);
  CHECK(trace.find(kPython)->number(kShare) > 0.9);
  CHECK(verdict_alone(kLesson, "float_bytes", trace) == "fails");
  for (const FigureSpec& spec : kLesson.figures) {
    INFO(spec.id);
    CHECK((std::holds_alternative<figure::Nothing>(figure_value(kLesson, spec.id, trace)) ==
           (spec.id == "losses" && !has_numpy)));
  }
}

TEST_CASE("list array: a doctored trace changes each verdict and each measured answer") {
  const auto verdict = [](const char* id, const Times& changed) {
    return verdict_alone(kLesson, id, doctored(changed));
  };
  CHECK(verdicts_of(kLesson, doctored()) ==
        "faster holds, always fails, all_cores fails, float_bytes fails, contiguous holds, one-type holds, "
        "vectorised holds");
  CHECK(lacks(judge_alone(kLesson, "always", doctored()).evidence,
              {"a sum of four, one by one, numpy.sum of a list"}) == "");
  CHECK(verdict("faster", {{"numpy.sum(array)", 10}}) == "fails");
  CHECK(verdict("contiguous", {{"pointers, shuffled", 0.5}}) == "fails");
  CHECK(verdict("one-type", {{"array of any type", 0.5}}) == "fails");
  CHECK(verdict("vectorised", {{"array", 0.25}}) == "fails");
  CHECK(verdict("always", {{"numpy.sum(list)", 9}, {"numpy, one by one", 9}, {"numpy.sum(array) of 4", 9}}) ==
        "holds");
  CHECK(verdict("all_cores", {{"numpy.sum(array), all threads", 1.0}}) == "holds");
  CHECK(verdict_alone(kLesson, "float_bytes", doctored({}, -1, 24)) == "holds");
  check_says_nothing(kLesson);
  const auto answer = [](const char* id, const Times& changed) {
    return answer_of(kLesson, id, doctored(changed));
  };
  CHECK(answer("slower", {}) == Words{"a sum of four", "one by one", "numpy.sum of a list"});
  CHECK(answer("slower", {{"numpy, one by one", 5}}) == Words{"a sum of four", "numpy.sum of a list"});
  CHECK(answer("shuffled", {}) == Words{"twice as long, or more"});
  CHECK(answer("shuffled", {{"sum(list), shuffled", 11}}) ==
        Words{"about as long: the objects are the same"});
}

TEST_CASE("list array: a doctored trace changes each figure") {
  const auto value_of = [](const Trace& trace) {
    return figure_as<figure::Bars>(kLesson, "bars", trace).rows.at(0).values.at(0);
  };
  CHECK(value_of(doctored()) == 0.5);
  CHECK(value_of(doctored({{"numpy.sum(array)", 0.7}})) == 0.7);
  const auto with_misses = figure_as<figure::Table>(kLesson, "bought", doctored({}, 0.125));
  CHECK(with_misses.rows.at(0).back().number == 0.125);
  CHECK(with_misses.columns.size() == with_misses.rows.at(0).size());
  const auto sizes = figure_as<figure::Lines>(kLesson, "sizes", doctored({{"array", 3}}));
  CHECK(sizes.lines.at(0).points.at(0).y == 3);
  CHECK(figure_as<figure::Boxes>(kLesson, "boxes", doctored()).rows.at(0).word == "40 bytes per number");
}

TEST_CASE("list array: without numpy, or Python, the rest runs, and the package is named") {
  const TempFolder folder;
  const auto python = folder.path / "python";
  std::ofstream(python) << "#!/bin/sh\nexec " << python_path() << " -S \"$@\"\n";  // -S: no installed modules
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  ::setenv("RINGSIDE_PYTHON", python.c_str(), 1);
  const Trace trace = run_lesson(kLesson, {"elements=256Ki", "rounds=1"});
  ::unsetenv("RINGSIDE_PYTHON");
  CHECK(ns_of(trace.find(kPython), "sum(list)").size() == 1);
  CHECK(ns_of(trace.find(kPython), "numpy.sum(array)").empty());
  CHECK(lacks(trace.rows().lines.back(), {"python3-numpy"}) == "");
  CHECK(verdict_alone(kLesson, "faster", trace) == "not_testable");
  ::setenv("RINGSIDE_PYTHON", "/no/python", 1);
  const Trace cpp = run_lesson(kLesson, {"elements=256Ki", "rounds=1"});
  ::unsetenv("RINGSIDE_PYTHON");
  CHECK(cpp.find(kPython) == nullptr);
  CHECK(lacks(cpp.rows().lines.back(), {"package is python3"}) == "");
  CHECK(std::holds_alternative<figure::Table>(figure_value(kLesson, "bought", cpp)));
  CHECK(std::holds_alternative<figure::Nothing>(figure_value(kLesson, "boxes", cpp)));
}

}  // namespace ringside::lessons::list_array
