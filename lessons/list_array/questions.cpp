// What is asked before the run, and the claims that its trace decides.
#include <algorithm>
#include <cmath>
#include <limits>

#include "parts.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/lesson/tr.h"

namespace ringside::list_array_lesson {
namespace {

constexpr double kClearly = 1.1, kEndless = std::numeric_limits<double>::infinity();
const std::string kSame = "about as long: the objects are the same", kLonger = "twice as long, or more";

// Holds where `slow` takes clearly longer than `fast`.
ClaimSpec longer(std::string id, std::string source, std::string statement, std::string slow,
                 std::string fast) {
  const auto judge = [=](const Trace& trace) -> ClaimResult {
    const auto a = rounds_of(trace, slow), b = rounds_of(trace, fast);
    if (a.empty() || a.size() != b.size())
      return {Verdict::kNotTestable, tr("{} against {} has not run", slow, fast)};
    return judge_ratio(ratio_interval(a, b), kClearly, kEndless,
                       tr("times as long: {} against {}", slow, fast));
  };
  return {std::move(id), std::move(source), std::move(statement), judge};
}

ClaimResult judge_list(const Trace& trace) {
  const SectionView* python = trace.find(kPython);
  if (python == nullptr || !python->has(kNear)) return {Verdict::kNotTestable, tr("Python has not run")};
  const double near = python->number(kNear);
  return {near > 0.5 ? Verdict::kPartly : Verdict::kHolds,
          tr("its slots of {:.0f} bytes lie in a row, and may point anywhere; {:.0f} % of a fresh list's "
             "floats lie beside the next one",
             python->number(kSlot), 100 * near)};
}

// Where numpy takes longer than the list.
std::optional<Words> slower(const Trace& trace) {
  Words found;
  for (const Against& pair : numpy_against_list()) {
    const double ratio = median_of(trace, pair.slow) / median_of(trace, pair.fast);
    if (std::isnan(ratio)) return std::nullopt;
    if (ratio > 1) found.push_back(pair.label);
  }
  return found;
}

ClaimResult judge_always(const Trace& trace) {
  const auto found = slower(trace);
  if (!found) return {Verdict::kNotTestable, tr("numpy has not run")};
  return {found->empty() ? Verdict::kHolds : Verdict::kFails,
          tr("slower than the list: {}", fmt::join(*found, ", "))};
}

std::optional<Words> shuffled_takes(const Trace& trace) {
  const double ratio = median_of(trace, "sum(list), shuffled") / median_of(trace, "sum(list)");
  return std::isnan(ratio) ? std::nullopt : std::optional(Words{ratio >= 2 ? kLonger : kSame});
}

std::optional<double> bytes_of_float(const Trace& trace) {
  const SectionView* python = trace.find(kPython);
  if (python == nullptr || !python->has(kFloat)) return std::nullopt;
  return python->number(kSlot) + python->number(kFloat);
}

PredictionSpec ask(std::string id, std::string question, AnswerKind kind, Words right, Words options,
                   std::vector<WrongWords> wrong, std::optional<Words> (*measured)(const Trace&)) {
  PredictionSpec spec{std::move(id), std::move(question)};
  spec.words = WordQuestion{kind, always(std::move(right)), always(std::move(options)),
                            always(std::move(wrong)), measured};
  return spec;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return figure::kNone;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<double> rounds_of(const Trace& trace, const std::string& what) {
  std::vector<double> rounds;
  for (const SectionView& section : trace.sections())
    if (section.name() != kSizes)
      for (const Timing& row : rows_as<Timing>(section))
        if (row.what == what) rounds.push_back(row.ns);
  return rounds;
}

double median_of(const Trace& trace, const std::string& what) { return median(rounds_of(trace, what)); }

double misses_of(const Trace& trace, const std::string& what) {
  const SectionView* cpp = trace.find(kCpp);
  std::vector<double> misses;
  for (const Timing& row : cpp == nullptr ? std::vector<Timing>{} : rows_as<Timing>(*cpp))
    if (row.what == what && row.misses >= 0) misses.push_back(row.misses);
  return median(misses);
}

const std::vector<Against>& numpy_against_list() {
  static const std::vector<Against> kPairs = {{"a sum of all", "numpy.sum(array)", "sum(list)"},
                                              {"a sum of four", "numpy.sum(array) of 4", "sum(list) of 4"},
                                              {"one by one", "numpy, one by one", "list, one by one"},
                                              {"numpy.sum of a list", "numpy.sum(list)", "sum(list)"}};
  return kPairs;
}

std::vector<PredictionSpec> predictions() {
  PredictionSpec bytes{
      "bytes", tr("A list of different floats: how many bytes does each take, with its place in the list?"),
      "bytes"};
  bytes.formula = always(32.0);
  bytes.wrong = {{"the number alone", always(8.0)},
                 {"forgot its place in the list", always(24.0)},
                 {"a float weighs what an int does", always(36.0)}};
  bytes.measured = bytes_of_float;
  return {
      ask("slower",
          tr("Where is numpy slower than the list? a sum of all: numpy.sum(array). a sum of four: the same "
             "of 4 numbers. one by one: a[i] in a loop. numpy.sum of a list: numpy.sum(list) against "
             "sum(list)."),
          AnswerKind::kChoices, {"a sum of four", "one by one", "numpy.sum of a list"},
          {"a sum of all", "a sum of four", "one by one", "numpy.sum of a list"},
          {{"numpy makes a list fast", {"a sum of four", "one by one"}},
           {"only what is small is slow", {"a sum of four"}},
           {"only the conversion is slow", {"numpy.sum of a list"}}},
          slower),
      ask("shuffled", tr("The same floats in a list in another order: how long does sum(list) take?"),
          AnswerKind::kChoice, {kLonger}, {kSame, kLonger}, {{"only the type of container counts", {kSame}}},
          shuffled_takes),
      bytes,
  };
}

std::vector<ClaimSpec> claims() {
  return {
      longer("faster", "B7", tr("numpy is faster than a list"), "sum(list)", "numpy.sum(array)"),
      {"always", "belief", tr("numpy is always faster"), judge_always},
      {"list", "B7", tr("a list is neither contiguous nor of one type"), judge_list},
      longer("contiguous", "B7", tr("what is stored together is cache friendly"), "pointers, shuffled",
             "array"),
      longer("one-type", "B7", tr("one type makes it faster"), "array of any type", "array"),
      longer("vectorised", "B7", tr("vectorised makes it faster"), "array", "array, vectorised"),
      longer("c", "belief", tr("an array.array is faster to sum than a list: it is C underneath"),
             "sum(list)", "sum(array.array)"),
  };
}

}  // namespace ringside::list_array_lesson
