// Sums of the same numbers in a list and in arrays: in Python, and in C++ with one property taken away at a
// time.
#include <cmath>

#include "embedded.h"
#include "parts.h"
#include "ringside/base/check.h"
#include "ringside/child/child.h"
#include "ringside/child/python.h"
#include "ringside/lesson/cache_misses.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::list_array_lesson {
namespace {

constexpr int64_t kLeastTimed = 1 << 17;  // numbers
constexpr double kClearly = 1.1;          // times as long

Sized timed(const Numbers& numbers, const Sum& sum, const CacheMisses& misses) {
  const auto count = std::ssize(numbers.array), passes = std::max<int64_t>(1, kLeastTimed / count);
  const auto summed = static_cast<double>(passes * count);
  const auto before = misses.count();
  const double start = thread_cpu_ns();
  double total = 0;
  for (int64_t pass = 0; pass < passes; ++pass) total += sum.of(numbers);
  const double time = thread_cpu_ns() - start;
  const auto after = misses.count();
  RINGSIDE_CHECK(total == numbers.expected() * static_cast<double>(passes), sum.way);
  return {sum.way, count, time / summed,
          before && after ? static_cast<double>(*after - *before) / summed : -1};
}

// All sums in turns, forwards and backwards.
void time_sums(int64_t count, int64_t rounds, Recorder& sizes, Recorder& pen, const RunContext& context) {
  const Numbers numbers(static_cast<size_t>(count));
  const CacheMisses misses;
  std::vector<Sum> turns = kSums;
  for (int64_t round = 0; round < rounds; ++round) {
    context.control.pass_step();
    const SpanScope step(pen, "step", round);
    for (const Sum& sum : turns) {
      const Sized row = timed(numbers, sum, misses);
      record_row(sizes, row);
      if (&pen != &sizes) record_row(pen, Timing{row.way, row.ns});
    }
    std::reverse(turns.begin(), turns.end());
    context.progress({kCpp, round + 1, rounds});
  }
}

void time_python(int64_t elements, int64_t rounds, const RunContext& context) {
  const std::string script(lessons::list_array::embedded("arrays.py"));
  Child child(python_command(script, {std::to_string(elements)}), context.control, {.seconds = 120});
  Recorder& pen = *context.store.add_section(kPython, {}, 1).at(0);
  child.next([&](const JsonObject& event) {
    Attributes sizes;
    for (const char* key : {kFloat, kSlot, kPacked}) sizes[key] = json_number(event.at(key), key, 0, 1000);
    context.store.set_attributes(kPython, sizes);
  });
  for (int64_t round = 0; round < rounds; ++round) {
    context.control.pass_step();
    const SpanScope step(pen, "step", round);
    child.ask(std::to_string(round), [&](const JsonObject& event) {
      record_row(pen, Timing{event.text("what"), json_number(event.at("ns"), "ns", 0, 1e12)});
    });
    context.progress({kPython, round + 1, rounds});
  }
}

void run(const Config& config, const RunContext& context) {
  const int64_t elements = config.integer("elements"), rounds = config.integer("rounds");
  Recorder& sizes = *context.store.add_section(kSizes, {}, 1).at(0);
  for (int64_t size = 1 << 10; size < elements; size *= 4) time_sums(size, 3, sizes, sizes, context);
  time_sums(elements, rounds, sizes, *context.store.add_section(kCpp, {}, 1).at(0), context);
  TraceRows rows;
  if (!CacheMisses().count())
    rows.lines.push_back(tr("Cache misses cannot be counted here; sizes show what they cost."));
  try {
    if (!missing_modules({"numpy"}, context.control).empty())
      rows.lines.push_back(tr("numpy is left out. Debian's package is python3-numpy."));
    time_python(elements, rounds, context);
  } catch (const MissingError& missing) {
    rows.lines.push_back(tr("Python is left out: {}. Debian's package is python3.", missing.what()));
  }
  context.store.set_rows(rows);
}

// ---- What is asked, and what the trace decides ----------------------------------------

const std::string kSame = "about as long: the objects are the same", kLonger = "twice as long, or more";

double ratio_in_python(const Trace& trace, const std::string& slow, const std::string& fast) {
  return median_ns(trace.find(kPython), slow) / median_ns(trace.find(kPython), fast);
}

// Where numpy takes longer than the list.
std::optional<Words> slower(const Trace& trace) {
  Words found;
  for (const Against& pair : kNumpyAgainstList) {
    const double ratio = ratio_in_python(trace, pair.slow, pair.fast);
    if (std::isnan(ratio)) return std::nullopt;
    if (ratio > 1) found.push_back(pair.label);
  }
  return found;
}

ClaimResult judge_always(const Trace& trace) {
  const auto found = slower(trace);
  if (!found) return not_testable(tr("numpy has not run"));
  return holds_if(found->empty(), tr("slower than the list: {}", fmt::join(*found, ", ")));
}

std::optional<Words> shuffled_takes(const Trace& trace) {
  const double ratio = ratio_in_python(trace, "sum(list), shuffled", "sum(list)");
  return std::isnan(ratio) ? std::nullopt : std::optional(Words{ratio >= 2 ? kLonger : kSame});
}

std::vector<PredictionSpec> predictions() {
  return {
      ask("slower",
          tr("Where is numpy slower than the list? a sum of all: numpy.sum(array). a sum of four: of 4 "
             "numbers. one by one: a[i] in a loop. numpy.sum of a list: against sum(list)."),
          {.kind = AnswerKind::kChoices,
           .right = {"a sum of four", "one by one", "numpy.sum of a list"},
           .options = {"a sum of all", "a sum of four", "one by one", "numpy.sum of a list"},
           .wrong = {{tr("numpy makes a list fast"), {"a sum of four", "one by one"}},
                     {tr("only what is small is slow"), {"a sum of four"}},
                     {tr("only the conversion is slow"), {"numpy.sum of a list"}}},
           .measured = slower,
           .around =
               {tr("numpy, slower"),
                tr("Each call of numpy has a price, each a[i] makes a Python object, and a list has to be "
                   "converted first. A sum of many numbers of one array has one call and neither of the "
                   "others."),
                "times"}}),
      ask("shuffled", tr("The same floats in a list in another order: how long does sum(list) take?"),
          {.right = {kLonger},
           .options = {kSame, kLonger},
           .wrong = {{tr("only the type of container counts"), {kSame}}},
           .measured = shuffled_takes,
           .around = {
               tr("shuffled"),
               tr("A list holds pointers. In another order the next number lies at another place in memory, "
                  "which the cache has not fetched."),
               "times"}})};
}

}  // namespace

const std::vector<Against> kNumpyAgainstList = {{"a sum of all", "numpy.sum(array)", "sum(list)"},
                                                {"a sum of four", "numpy.sum(array) of 4", "sum(list) of 4"},
                                                {"one by one", "numpy, one by one", "list, one by one"},
                                                {"numpy.sum of a list", "numpy.sum(list)", "sum(list)"}};

}  // namespace ringside::list_array_lesson

namespace ringside::lessons::list_array {

Lesson make_lesson() {
  using namespace list_array_lesson;
  Lesson lesson;
  lesson.parameters = {
      number("elements", "numbers that are summed", "", "1Mi", 1 << 18, 1 << 22, ParameterKind::kCount),
      number("rounds", "in which the sums take turns", "", "15", 1, 100)};
  lesson.predictions = predictions();
  const auto longer = [](const char* id, std::string statement, const char* section, const char* slow,
                         const char* fast) {
    return claim_of_times(id, "B7", std::move(statement), {section, slow, fast, kClearly});
  };
  lesson.claims = {
      longer("faster", tr("numpy is faster than a list"), kPython, "sum(list)", "numpy.sum(array)"),
      {"always", "belief", tr("numpy is always faster"), judge_always},
      longer("contiguous", tr("what is stored together is cache friendly"), kCpp, "pointers, shuffled",
             "array"),
      longer("one-type", tr("one type makes it faster"), kCpp, "array of any type", "array"),
      longer("vectorised", tr("vectorised makes it faster"), kCpp, "array", "array, vectorised")};
  lesson.figures = figures();
  lesson.words = {"The numbers are laid out.", "Now watch what a number costs.", "round", "step"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::list_array
