// What is asked before the run, and the claims that its trace decides.
#include <cmath>
#include <limits>

#include "parts.h"
#include "ringside/base/median.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/lesson/tr.h"

namespace ringside::list_array_lesson {
namespace {

constexpr double kClearly = 1.1, kEndless = std::numeric_limits<double>::infinity();
const std::string kSame = "about as long: the objects are the same", kLonger = "twice as long, or more";

// Holds where `slow` takes clearly longer than `fast`.
ClaimSpec longer(std::string id, std::string source, std::string statement, std::string slow,
                 std::string fast) {
  return {std::move(id), std::move(source), std::move(statement), [=](const Trace& trace) {
            return judge_ratio(rounds_of(trace, slow), rounds_of(trace, fast), kClearly, kEndless,
                               tr("times as long: {} against {}", slow, fast));
          }};
}

ClaimResult judge_list(const Trace& trace) {
  const SectionView* python = trace.find(kPython);
  if (python == nullptr || !python->has(kNear)) return not_testable(tr("Python has not run"));
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
  if (!found) return not_testable(tr("numpy has not run"));
  return holds_if(found->empty(), tr("slower than the list: {}", fmt::join(*found, ", ")));
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

double median_or_none(const std::vector<double>& values) {
  return values.empty() ? figure::kNone : median(values);
}

}  // namespace

std::vector<double> rounds_of(const Trace& trace, const std::string& what) {
  std::vector<double> rounds;
  for (const char* section : {kPython, kCpp})
    for (const Timing& row : rows_in<Timing>(trace.find(section)))
      if (row.what == what) rounds.push_back(row.ns);
  return rounds;
}

double median_of(const Trace& trace, const std::string& what) {
  return median_or_none(rounds_of(trace, what));
}

double misses_of(const Trace& trace, const std::string& what) {
  std::vector<double> misses;
  for (const Timing& row : rows_in<Timing>(trace.find(kCpp)))
    if (row.what == what && row.misses >= 0) misses.push_back(row.misses);
  return median_or_none(misses);
}

const std::vector<Against>& numpy_against_list() {
  static const std::vector<Against> kPairs = {{"a sum of all", "numpy.sum(array)", "sum(list)"},
                                              {"a sum of four", "numpy.sum(array) of 4", "sum(list) of 4"},
                                              {"one by one", "numpy, one by one", "list, one by one"},
                                              {"numpy.sum of a list", "numpy.sum(list)", "sum(list)"}};
  return kPairs;
}

std::vector<PredictionSpec> predictions() {
  return {
      ask("slower",
          tr("Where is numpy slower than the list? a sum of all: numpy.sum(array). a sum of four: the same "
             "of 4 numbers. one by one: a[i] in a loop. numpy.sum of a list: numpy.sum(list) against "
             "sum(list)."),
          {.kind = AnswerKind::kChoices,
           .right = {"a sum of four", "one by one", "numpy.sum of a list"},
           .options = {"a sum of all", "a sum of four", "one by one", "numpy.sum of a list"},
           .wrong = {{tr("numpy makes a list fast"), {"a sum of four", "one by one"}},
                     {tr("only what is small is slow"), {"a sum of four"}},
                     {tr("only the conversion is slow"), {"numpy.sum of a list"}}},
           .measured = slower}),
      ask("shuffled", tr("The same floats in a list in another order: how long does sum(list) take?"),
          {.right = {kLonger},
           .options = {kSame, kLonger},
           .wrong = {{tr("only the type of container counts"), {kSame}}},
           .measured = shuffled_takes}),
      ask("bytes",
          tr("A list of different floats: how many bytes does each take, with its place in the list?"),
          {.unit = tr("bytes"),
           .right = 32,
           .wrong = {{tr("the number alone"), 8},
                     {tr("forgot its place in the list"), 24},
                     {tr("a float weighs what an int does"), 36}},
           .measured = bytes_of_float})};
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
