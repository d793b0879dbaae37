#include <charconv>
#include <set>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

constexpr size_t kMostNamed = 20;  // of what there is, in a message

// "a, b, c and 4 more"
std::string named(const std::vector<std::string>& names) {
  if (names.size() <= kMostNamed) return join(names);
  const std::vector<std::string> first(names.begin(), names.begin() + kMostNamed);
  return tr("{} and {} more", join(first), names.size() - kMostNamed);
}

// What stands behind the section's name.
struct StepAndPhase {
  std::optional<int64_t> step;
  std::string phase;
};

StepAndPhase step_and_phase(const std::string& text, std::string_view rest) {
  StepAndPhase found;
  if (rest.empty()) return found;
  rest.remove_prefix(1);
  const std::string_view step = rest.substr(0, rest.find(':'));
  if (step.size() < rest.size()) found.phase = rest.substr(step.size() + 1);
  if (step.empty()) return found;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), number);
  if (error != std::errc() || end != step.data() + step.size() || number < 0)
    throw UsageError(tr("--at {}: '{}' is no step; write SECTION:STEP:PHASE, such as \"train:3:backward\"",
                        as_typed(text), as_typed(step)));
  found.step = number;
  return found;
}

// The longest name of a section that `text` is, or begins with before a colon.
const SectionView& section_in(const std::string& text, const Trace& trace) {
  const SectionView* best = nullptr;
  std::vector<std::string> names;
  for (const SectionView& section : trace.sections()) {
    const std::string& name = section.name();
    names.push_back(name);
    const bool fits = text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ':');
    if (fits && (best == nullptr || name.size() > best->name().size())) best = &section;
  }
  if (best != nullptr) return *best;
  if (names.empty()) throw UsageError(tr("--at {}: the run has no section", as_typed(text)));
  const std::string typed = text.substr(0, text.find(':'));
  throw UsageError(tr("--at {}: there is no section '{}'{}; there are: {}", as_typed(text), as_typed(typed),
                      suggestion(typed, names), named(names)));
}

// "0 to 19", or those that there are.
std::string steps_in_words(const std::set<int64_t>& steps) {
  if (steps.empty()) return tr("none");
  if (*steps.rbegin() - *steps.begin() + 1 == int64_t(steps.size()))
    return tr("{} to {}", *steps.begin(), *steps.rbegin());
  std::vector<std::string> all;
  for (const int64_t step : steps) all.push_back(std::to_string(step));
  return named(all);
}

}  // namespace

void check_instant(const std::string& text) {
  if (text.empty() || text[0] == ':')
    throw UsageError(
        tr("--at {}: which section? Write SECTION:STEP:PHASE, such as \"train:3:backward\"", as_typed(text)));
}

FigureInput parse_instant(const std::string& text, const Config& config, const Trace& trace,
                          bool of_last_step) {
  check_instant(text);
  const SectionView& section = section_in(text, trace);
  const StepAndPhase wanted = step_and_phase(text, std::string_view(text).substr(section.name().size()));
  FigureInput input{config, trace, &section, shown_end(trace, section, of_last_step)};
  if (!wanted.step && wanted.phase.empty()) return input;

  std::set<int64_t> steps;
  std::set<std::string> phases;  // of the step
  std::optional<int64_t> last_ns;
  const auto spans = section.ranks() > 0 ? section.spans(0) : EventRange<SpanEvent>();
  for (const SpanEvent& span : spans) {
    if (span.step >= 0) steps.insert(span.step);
    if (wanted.step && span.step != *wanted.step) continue;
    phases.insert(trace.name(span.name));
    if (!wanted.phase.empty() && trace.name(span.name) != wanted.phase) continue;
    last_ns = std::max(last_ns.value_or(span.end_ns), span.end_ns);
  }
  if (wanted.step && !steps.contains(*wanted.step))
    throw UsageError(tr("--at {}: section '{}' has no step {}; there are: {}", as_typed(text), section.name(),
                        *wanted.step, steps_in_words(steps)));
  if (!last_ns) {
    const std::vector<std::string> names(phases.begin(), phases.end());
    throw UsageError(tr("--at {}: there is no phase '{}'{}; there are: {}", as_typed(text),
                        as_typed(wanted.phase), suggestion(wanted.phase, names),
                        names.empty() ? tr("none") : named(names)));
  }
  input.time_ns = *last_ns;
  return input;
}

}  // namespace ringside::inline kit
