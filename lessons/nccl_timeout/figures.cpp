#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "arithmetic.h"
#include "bucket.h"
#include "evidence.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/tr.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

using namespace figure;

constexpr const char* kFixes[] = {"symptom", "fix timeout", "fix outputs", "fix barrier", "fix rank"};
constexpr const char* kVersions[] = {"original",    "V1",          "V2",      "V3",
                                     "V1 mismatch", "V2 mismatch", "chunked", "compressed"};

Value log_figure(const FigureInput& input) {
  Listing listing;
  for (const std::string& line : split(wrap(line_of_source(input.config), 76, 0), '\n'))
    listing.lines.push_back({line});
  const auto says = [&](const std::string& field, const std::string& what) {
    listing.lines.push_back({pad(field, 14) + what});
  };
  listing.lines.push_back({""});
  says("[rank6]", tr("the rank that prints: it called, and waits"));
  says("SeqNum", tr("the number of the call in its process group, from 1"));
  says("ALLREDUCE", tr("all ranks of a group add up one tensor, and each has to call"));
  says("NumelIn", tr("how many elements of the tensor go in"));
  says("Timeout(ms)", tr("ten minutes; then the watchdog ends the process"));
  return listing;
}
std::string log_sentence(const FigureInput&) {
  return tr("The line says in which call a rank waits. It does not say which rank is missing.");
}

// How runs ended that belong together: the fixes of act 1, or a case with its fix and its check.
Value outcomes(const FigureInput& input) {
  std::vector<std::string> names(std::begin(kFixes), std::end(kFixes));
  const int number = input.section == nullptr ? 0 : case_of(input.section->name());
  if (number > 0) {
    const std::string name = fmt::format("case {}", number);
    names = {name, name + " fixed", name + " check"};
  }
  Table table{.columns = {{tr("run")}, {tr("deadline")}, {tr("ended")}}, .rows = {}};
  for (const std::string& name : names) {
    const SectionView* section = input.trace.find(name);
    if (section == nullptr || attribute(*section, kEnded).empty()) continue;
    const SectionView* hang = input.trace.find(number > 0 ? names[0] : "symptom");
    if (hang == nullptr || (tells(name) && !is_solved(input.config, *hang))) continue;
    if (input.is_open("timeout_x3") && name == "fix timeout") continue;
    if (input.section == section) table.lit.push_back(table.rows.size());
    table.rows.push_back({{attribute(*section, kTitle)},
                          {format_duration(number_in(*section, kDeadlineMs).value_or(0) / 1000)},
                          {ended_words(*section)}});
  }
  return or_nothing(table, tr("No run of this kind has ended."));
}
std::string outcomes_sentence(const FigureInput& input) {
  if (input.section == nullptr) return "";
  const SectionView& section = *input.section;
  const bool is_own = section.name().starts_with("own");
  if (!is_own && !is_solved(input.config, section)) return "";
  const SectionView* hang = input.trace.find(fmt::format("case {}", case_of(section.name())));
  const std::string ended = attribute(section, kEnded), missing = attribute(section, kMissing);
  if (attribute(section, kKind) != "check" || hang == nullptr) return attribute(section, kSentence);
  if (ended == "timeout")
    return missing.empty() ? tr("The check compares calls: it found none that differ.")
                           : tr("The check compares calls; rank {} made none. It cannot help here.", missing);
  return tr("{} Without the check: silence, then {}.", attribute(section, kSentence), ended_words(*hang));
}

Value bucket(const FigureInput& input) {
  const SectionView* plan = input.trace.find("plan 7B");
  if (plan == nullptr) return Nothing{tr("No plan of buckets is in this run: set act to 4.")};
  const Bucket planned(*plan);
  return bucket_bars(planned, planned.fits(), true);
}

Value numbers(const FigureInput& input) {
  return or_nothing(table_of_rows(input.trace, LogRow::kTable), tr("The numbers are act 2."));
}
std::string numbers_sentence(const FigureInput& input) {
  const auto rows = rows_in<LogRow>(input.trace);
  if (rows.size() < 3 || rows[0].classes == rows[2].classes) return "";
  const auto elements = rows[0].elements - rows[2].elements;
  const auto classes = rows[0].classes - rows[2].classes;
  return tr("{} elements more for {} classes more: {} each, the hidden size and a bias.",
            format_count(elements), classes, format_count(elements / classes));
}

// The length that comes nearest, batch by batch.
Value tensor(const FigureInput& input) {
  const SectionView* plan = input.trace.find("plan 7B");
  const auto logged = outcome(input.trace, "arithmetic_logged");
  if (plan == nullptr || !logged) return Nothing{tr("The source's arithmetic is act 2.")};
  const double hidden = number_in(*plan, "hidden").value_or(0);
  Table table{.columns = {{tr("batch B"), "", true},
                          {tr("nearest length T"), "", true},
                          {tr("B · T · H"), "", true},
                          {tr("from the log"), "", true}},
              .rows = {}};
  for (double batch = 1; batch <= 64 && hidden >= 1; batch *= 2) {
    const double length = std::round(*logged / (batch * hidden)), product = batch * length * hidden;
    std::vector<TableCell> row;
    for (const double value : {batch, length, product, *logged - product})
      row.push_back({format_count(static_cast<int64_t>(value)), value});
    table.rows.push_back(std::move(row));
  }
  return or_nothing(table, tr("The model has no hidden size."));
}
std::string tensor_sentence(const FigureInput& input) {
  const auto logged = outcome(input.trace, "arithmetic_logged"),
             rest = outcome(input.trace, "arithmetic_remainder"),
             hidden = outcome(input.trace, "arithmetic_hidden_size");
  if (!logged || !rest || !hidden) return "";
  const auto count = [](double value) { return format_count(static_cast<int64_t>(value)); };
  return *rest == 0 ? tr("{} is a multiple of {}: such a tensor could be it.", count(*logged), count(*hidden))
                    : tr("{} mod {} = {}, not 0: no batch size and no length gives this number.",
                         count(*logged), count(*hidden), count(*rest));
}

// What each version keeps at its peak, and what its evaluation gathers.
Value memory(const FigureInput& input) {
  Bars bars{.value = {tr("rank 0"), "bytes"}, .parts = {}, .rows = {}, .stacked = false};
  bars.parts = {{tr("peak, training"), Ink::kActivations},
                {tr("peak, evaluation"), Ink::kParameters},
                {tr("gathered"), Ink::kGradients}};
  for (const char* name : kVersions) {
    const SectionView* section = input.trace.find(name);
    if (section == nullptr || !section->has(kGathered)) continue;
    const bool training = is_yes(*section, kReturnedTraining),
               evaluation = is_yes(*section, kReturnedEvaluation);
    BarRow row{attribute(*section, kTitle), {}, {}};
    for (const char* key : {kTrainingPeak, kEvaluationPeak, kGathered})
      row.values.push_back(number_in(*section, key).value_or(0));
    row.word = training && evaluation ? tr("returned in both")
               : training             ? tr("returned in training")
               : evaluation           ? tr("returned in evaluation")
                                      : tr("none returned");
    bars.rows.push_back(std::move(row));
  }
  return or_nothing(bars, tr("What the versions keep is act 3."));
}

// All categories of rank 0 over time, the highest of each stretch.
std::vector<Point> curve_of(const SectionView& section) {
  constexpr size_t kStretches = 300;
  std::vector<const MemoryEvent*> events;
  for (const Category category : kCategories)
    for (const MemoryEvent& event : section.memory(0, category)) events.push_back(&event);
  std::ranges::sort(events, {}, &MemoryEvent::time_ns);
  std::vector<Point> points;
  const size_t each = events.size() / kStretches + 1;
  for (size_t i = 0; i < events.size(); i += each) {
    int64_t most = 0;
    for (size_t j = i; j < std::min(i + each, events.size()); ++j)
      most = std::max(most, events[j]->total_bytes);
    points.push_back(
        {static_cast<double>(events[i]->time_ns - events[0]->time_ns) * 1e-9, static_cast<double>(most)});
  }
  return points;
}
Value curve(const FigureInput& input) {
  const SectionView *shown = input.section, *original = input.trace.find("original");
  if (shown == nullptr || attribute(*shown, kKind) != "outputs")
    return Nothing{tr("Nothing is compared in this part: choose one of act 3.")};
  Lines lines{{tr("time"), "s"}, {tr("memory of rank 0"), "bytes"}, {}};
  lines.lines.push_back({attribute(*shown, kTitle), Ink::kActivations, Stroke::kMeasured, curve_of(*shown)});
  if (original != nullptr && original != shown)
    lines.lines.push_back({tr("original"), Ink::kDim, Stroke::kPinned, curve_of(*original)});
  std::erase_if(lines.lines, [](const Line& line) { return line.points.empty(); });
  return or_nothing(lines, tr("No memory was recorded yet."));
}

}  // namespace

std::string line_of_source(const Config& config) {
  const std::string& elements = config.text("logged");
  return fmt::format(
      "[rank6] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=56731, OpType=ALLREDUCE, "
      "NumelIn={}, NumelOut={}, Timeout(ms)={:.0f})",
      elements, elements, kSourceDeadlineS * 1000);
}

std::string ended_words(const SectionView& section) {
  std::string ended = attribute(section, kEnded);
  std::ranges::replace(ended, '_', ' ');
  if (ended == "completed") return tr("✓ runs to its end");
  return tr("✗ {} after {}", ended, format_duration(number_in(section, kEndedMs).value_or(0) / 1000));
}

std::vector<FigureSpec> figures() {
  FigureSpec log = figure_of_run("log", tr("What one of eight GPUs printed"), log_figure);
  log.of_configuration = true;
  log.sentence = log_sentence;
  std::vector<FigureSpec> all = {log};
  for (FigureSpec& one : evidence()) all.push_back(std::move(one));
  std::vector<FigureSpec> others = {
      figure_of_run("outcomes", tr("How each run ended"), outcomes),
      figure_of_run("bucket", tr("Which gradients fit into one bucket?"), bucket, {"what", "first_bucket"}),
      figure_of_run("numbers", tr("Three logs of one program"), numbers, {"what", "data_set", "accumulate"}),
      figure_of_run("tensor", tr("Is the number B · T · H of anything?"), tensor, {"parity", "what"}),
      figure_of_run("memory", tr("What returning hidden states would cost"), memory, {"gathered_bytes"}),
      figure_of_instant("curve", tr("Memory over time"), curve)};
  others = with_tabs(others,
                     {tr("outcomes"), tr("bucket"), tr("numbers"), tr("tensor"), tr("memory"), tr("curve")});
  others[0].sentence = outcomes_sentence;
  others[2].sentence = numbers_sentence;
  others[3].sentence = tensor_sentence;
  others[4].section = others[5].section = "original";
  all.insert(all.end(), others.begin(), others.end());
  all[0].tab = tr("log line");
  return all;
}

}  // namespace ringside::nccl_lesson
