// The lesson as a front end runs it, and claims and figures of doctored traces.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "catch.h"
#include "check_text.h"
#include "parts.h"
#include "patience.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/child/python.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/session/session.h"
#include "run_a_lesson.h"
#include "temp_folder.h"

namespace ringside::lessons::list_array {
Lesson make_lesson();
}

using namespace ringside;
using namespace ringside::list_array_lesson;

namespace {

const Lesson& lesson() {
  static const Lesson made = testing::lesson_alone("list_array", lessons::list_array::make_lesson());
  return made;
}

Trace run(const std::vector<std::string>& words) { return testing::run_lesson(lesson(), words); }

ClaimResult judged(const Trace& trace, const std::string& id) {
  return testing::judge_alone(lesson(), id, trace);
}

figure::Value figure_of(const Trace& trace, const std::string& id) {
  return testing::figure_value(lesson(), id, trace);
}

std::optional<Words> answer_of(const Trace& trace, const std::string& id) {
  return testing::question_of(lesson(), id).words->measured(trace);
}

using Times = std::map<std::string, double>;

// Nine rounds in which each sum takes so many ns a number.
Trace doctored(const Times& changed = {}, double misses = -1) {
  Times of_python = {{"sum(list)", 10},        {"sum(list), shuffled", 80}, {"sum(array.array)", 11},
                     {"list, one by one", 20}, {"sum(list) of 4", 30},      {"numpy.sum(array)", 0.5},
                     {"numpy.sum(list)", 90},  {"numpy, one by one", 200},  {"numpy.sum(array) of 4", 600}};
  Times of_cpp = {{"array, vectorised", 0.25}, {"array", 0.5}, {"array of any type", 0.8},
                  {"pointers, shuffled", 4},   {"list", 1},    {"list, shuffled", 8}};
  for (const auto& [what, ns] : changed) (of_python.contains(what) ? of_python : of_cpp).at(what) = ns;
  const auto store = TraceStore::create("list_array");
  const auto record = [&](const char* name, const Attributes& attributes, const auto& row_of,
                          const Times& times) {
    Recorder& pen = *store->add_section(name, attributes, 1).at(0);
    for (int64_t round = 0; round < 9; ++round)
      for (const auto& [way, ns] : times) record_row(pen, row_of(way, ns));
    pen.span("step", 0, now_ns(), 0);
  };
  const auto timing = [](const std::string& way, double ns) { return Timing{way, ns}; };
  record(
      kSizes, {},
      [&](const std::string& way, double ns) {
        return Sized{way, 1 << 20, ns, misses};
      },
      of_cpp);
  record(kCpp, {}, timing, of_cpp);
  record(kPython, {{kFloat, 24.0}, {kSlot, 8.0}, {kPacked, 8.0}}, timing, of_python);
  return store->snapshot();
}

}  // namespace

TEST_CASE("all ways sum the same numbers, whatever their count") {
  for (const size_t count : {1U, 4U, 15U, 16U, 17U, 511U, 513U, 5000U}) {
    const Numbers numbers(count);
    for (const Sum& sum : kSums) CHECK(sum.of(numbers) == numbers.expected());
  }
}

TEST_CASE("the lesson runs, and every figure can be shown") {
  RunControl control;
  const bool has_numpy = missing_modules({"numpy"}, control).empty();
  const Trace trace = run({"elements=256Ki", "rounds=2"});
  CHECK(ns_of(trace.find(kPython), "sum(list)").size() == 2);
  CHECK(ns_of(trace.find(kCpp), "array, vectorised").size() == 2);
  CHECK(ns_of(trace.find(kPython), "numpy.sum(array)").size() == (has_numpy ? 2 : 0));
  CHECK(trace.find(kPython)->number(kSlot) == 8);
  CHECK(trace.find(kPython)->number(kPacked) == 8);
  CHECK(trace.find(kPython)->number(kFloat) == 24);
  for (const FigureSpec& spec : lesson().figures) {
    INFO(spec.id);
    CHECK((std::holds_alternative<figure::Nothing>(figure_of(trace, spec.id)) ==
           (spec.id == "losses" && !has_numpy)));
  }
}

TEST_CASE("a doctored trace changes each verdict") {
  const Trace usual = doctored();
  for (const char* id : {"faster", "contiguous", "one-type", "vectorised"})
    CHECK(judged(usual, id).verdict == Verdict::kHolds);
  CHECK(judged(usual, "always").verdict == Verdict::kFails);
  CHECK(lacks(judged(usual, "always").evidence, {"a sum of four, one by one, numpy.sum of a list"}) == "");

  CHECK(judged(doctored({{"numpy.sum(array)", 10}}), "faster").verdict == Verdict::kFails);
  CHECK(judged(doctored({{"pointers, shuffled", 0.5}}), "contiguous").verdict == Verdict::kFails);
  CHECK(judged(doctored({{"array of any type", 0.5}}), "one-type").verdict == Verdict::kFails);
  CHECK(judged(doctored({{"array", 0.25}}), "vectorised").verdict == Verdict::kFails);
  const Times fast = {{"numpy.sum(list)", 9}, {"numpy, one by one", 9}, {"numpy.sum(array) of 4", 9}};
  CHECK(judged(doctored(fast), "always").verdict == Verdict::kHolds);
  CHECK(judged(Trace(), "always").verdict == Verdict::kNotTestable);
}

TEST_CASE("a doctored trace changes each measured answer") {
  CHECK(answer_of(doctored(), "slower") == Words{"a sum of four", "one by one", "numpy.sum of a list"});
  CHECK(answer_of(doctored({{"numpy, one by one", 5}}), "slower") ==
        Words{"a sum of four", "numpy.sum of a list"});
  CHECK(answer_of(doctored(), "shuffled") != answer_of(doctored({{"sum(list), shuffled", 11}}), "shuffled"));
  CHECK_FALSE(answer_of(Trace(), "slower"));
}

TEST_CASE("a doctored trace changes each figure") {
  const auto value_of = [](const Trace& trace, size_t row) {
    return std::get<figure::Bars>(figure_of(trace, "bars")).rows.at(row).values.at(0);
  };
  CHECK(value_of(doctored(), 0) == 0.5);
  CHECK(value_of(doctored({{"numpy.sum(array)", 0.7}}), 0) == 0.7);
  const auto last_cell = [](const Trace& trace, const std::string& id) {
    return std::get<figure::Table>(figure_of(trace, id)).rows.at(0).back().text;
  };
  CHECK(last_cell(doctored(), "bought") != last_cell(doctored({{"array", 5}}), "bought"));
  CHECK(last_cell(doctored(), "losses") != last_cell(doctored({{"sum(list)", 5}}), "losses"));
  const auto with_misses = std::get<figure::Table>(figure_of(doctored({}, 0.125), "bought"));
  CHECK(with_misses.rows.at(0).back().number == 0.125);
  CHECK(with_misses.columns.size() == with_misses.rows.at(0).size());
  const auto first_point = [](const Trace& trace) {
    return std::get<figure::Lines>(figure_of(trace, "sizes")).lines.at(0).points.at(0).y;
  };
  CHECK(first_point(doctored({{"array", 3}})) == 3);
  CHECK(std::get<figure::Boxes>(figure_of(doctored(), "boxes")).rows.at(0).word == "32 bytes a number");
}

TEST_CASE("without numpy the rest runs, and the package is named") {
  const testing::TempFolder folder;
  const auto python = folder.path / "python";
  std::ofstream(python) << "#!/bin/sh\nexec " << python_path() << " -S \"$@\"\n";  // -S: no installed modules
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  ::setenv("RINGSIDE_PYTHON", python.c_str(), 1);
  const Trace trace = run({"elements=256Ki", "rounds=1"});
  ::unsetenv("RINGSIDE_PYTHON");
  CHECK(ns_of(trace.find(kPython), "sum(list)").size() == 1);
  CHECK(ns_of(trace.find(kPython), "numpy.sum(array)").empty());
  CHECK(lacks(trace.rows().lines.back(), {"python3-numpy"}) == "");
  CHECK(judged(trace, "faster").verdict == Verdict::kNotTestable);
}

TEST_CASE("without Python C++ runs, and the package is named") {
  ::setenv("RINGSIDE_PYTHON", "/no/python", 1);
  const Trace trace = run({"elements=256Ki", "rounds=1"});
  ::unsetenv("RINGSIDE_PYTHON");
  CHECK(trace.find(kPython) == nullptr);
  CHECK(lacks(trace.rows().lines.back(), {"package is python3"}) == "");
  CHECK(std::holds_alternative<figure::Table>(figure_of(trace, "bought")));
  CHECK(std::holds_alternative<figure::Nothing>(figure_of(trace, "boxes")));
}
