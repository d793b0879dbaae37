// The last step before the stop, and the ranks whose last line is of an earlier one.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "clues.h"
#include "ringside/base/units.h"
#include "ringside/flight/words.h"

namespace ringside::inline logs {
namespace {

using LastSteps = std::vector<const LoggedStep*>;

// Of the form that most ranks have: steps of two forms are not compared.
LastSteps chosen(const Log& log) {
  std::map<StepForm, LastSteps> forms;
  for (const LoggedStep& step : log.steps) forms[step.form].push_back(&step);
  LastSteps best;
  for (const auto& [form, all] : forms)
    if (all.size() > best.size()) best = all;
  return best;
}

std::string step_words(const LoggedStep& step) {
  if (step.form == StepForm::kEpoch) return fmt::format("epoch {}", step.epoch);
  return step.of > 0 ? fmt::format("step {} of {}", format_count(step.step), format_count(step.of))
                     : "step " + format_count(step.step);
}

std::vector<int> ranks_at(const LastSteps& all) {
  std::vector<int> ranks;
  for (const LoggedStep* one : all)
    if (one->rank >= 0) ranks.push_back(one->rank);
  std::ranges::sort(ranks);
  return ranks;
}

// "ranks 0 and 1"; of lines without a rank the files, where there are several.
std::string whose(const Log& log, const LastSteps& all) {
  constexpr size_t kMostNamed = 4;
  if (const std::vector<int> ranks = ranks_at(all); !ranks.empty()) return flight::name_ranks(ranks);
  if (log.files.size() < 2) return "";
  if (all.size() > kMostNamed) return fmt::format("{} files", all.size());
  std::string names;
  for (const LoggedStep* step : all)
    names += (names.empty() ? "" : ", ") + log.files.at(static_cast<size_t>(step->file));
  return names;
}

Evidence evidence_of(const Log& log, const LoggedStep& step) {
  return {fmt::format("{}:{}", log.files.at(static_cast<size_t>(step.file)), step.line), step.text, step.file,
          step.line};
}

// By step, from the last one down.
using BySteps = std::map<std::pair<int64_t, double>, LastSteps, std::greater<>>;
BySteps by_step(const LastSteps& all) {
  BySteps steps;
  for (const LoggedStep* one : all) steps[{one->step, one->epoch}].push_back(one);
  return steps;
}

}  // namespace

void add_progress(const Clues& clues, Diagnosis& diagnosis) {
  constexpr size_t kMostSides = 4;
  const BySteps steps = by_step(chosen(clues.log));
  if (steps.empty()) return;
  Finding& found = add_finding(diagnosis.waits, Cause::kNothing, Sure::kCertain, {}, "");
  for (const auto& [at, all] : steps) {
    if (found.evidence.size() == kMostSides) break;
    const LoggedStep& one = *all.front();
    const std::string who = whose(clues.log, all);
    const std::string of = who.empty() ? "" : fmt::format(" of {}", who);
    found.sentence += found.sentence.empty()
                          ? fmt::format("The last line of a step{} is of {}", of, step_words(one))
                          : fmt::format(", that{} of {}", of, step_words(one));
    found.evidence.push_back(evidence_of(clues.log, one));
  }
  if (steps.size() > kMostSides)
    found.sentence += fmt::format(", and {} more steps behind", steps.size() - kMostSides);
  if (steps.size() < 2) return;
  const std::vector<int> first = ranks_at(steps.begin()->second);
  std::vector<int> behind;
  for (auto it = std::next(steps.begin()); it != steps.end(); ++it)
    for (const int rank : ranks_at(it->second)) behind.push_back(rank);
  // A rank that did not come to a call, and whose last step is an earlier one.
  for (Finding& blamed : diagnosis.first)
    if (blamed.cause == Cause::kAbsent && !blamed.ranks.empty() && !first.empty() &&
        std::ranges::all_of(blamed.ranks, [&](int rank) { return std::ranges::count(behind, rank) > 0; }))
      blamed.evidence.push_back(diagnosis.waits.back().evidence[1]);
}

}  // namespace ringside::inline logs
