#include "plain_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures.h"
#include "ringside/base/units.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/summary_text.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

std::string ledger_words(const TraceRows& rows) {
  int64_t unexplained = 0;
  for (const LedgerRow& row : rows.ledger) unexplained += std::abs(row.unexplained());
  return unexplained == 0 ? tr("every byte explained")
                          : tr("{} unexplained", format_bytes(static_cast<double>(unexplained)));
}

std::string readout_words(const Lesson& lesson, const FigureInput& input) {
  std::string text;
  for (const Readout& readout : figure::readouts(lesson, input))
    text += (text.empty() ? "" : ", ") + readout.name + " " + readout.value;
  return text;
}

// A whole number whole, any other one with four digits.
std::string number_of(double value) {
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string answer_of(const PredictionSpec& spec, const Config& config, const PredictionRow& row) {
  const std::string answer =
      spec.words ? in_words(*spec.words, config, row.words) : number_of(row.answer) + " " + row.unit;
  return is_calculated(spec) ? tr("{} (calculated)", answer) : answer;
}

// Of a run that came to its end.
std::vector<std::string> answers(const Lesson& lesson, const Config& config, const Trace& trace) {
  std::vector<std::string> all;
  for (const PredictionSpec& spec : lesson.predictions)
    for (const PredictionRow& row : trace.rows().predictions)
      if (row.id == spec.id && trace.complete())
        all.push_back(spec.question + " " + answer_of(spec, config, row));
  return all;
}

}  // namespace

std::string plain_summary(const Lesson& lesson, const Config& config, const Trace& trace, int width,
                          bool colour, bool with_figure) {
  const TraceRows& rows = trace.rows();
  SummaryText text(width, colour, 40);
  text.title(lesson.id, lesson.title, "");
  const FigureSpec first = lesson.figures.empty() ? FigureSpec() : lesson.figures.front();
  const FigureInput input = default_input(config, first, trace);
  if (with_figure && !lesson.figures.empty())  // its sentence is the third line
    text.block(figure_text(lesson, first, input, width, colour) + '\n');
  for (const std::string& line : rows.lines) text.line(line);
  const auto listed = [&](std::string label, const std::vector<std::string>& all) {
    for (const std::string& one : all) text.labelled(std::exchange(label, ""), one);
  };
  if (const std::string measured = readout_words(lesson, input); !measured.empty())
    text.labelled(tr("Measured"), measured);
  std::vector<std::string> outcome;
  for (const auto& [name, value] : rows.outcome) outcome.push_back(fmt::format("{} {:.6g}", name, value));
  listed(tr("Outcome"), outcome);
  listed(tr("Answers"), answers(lesson, config, trace));
  text.claims(rows.claims);
  if (!rows.ledger.empty()) text.labelled(tr("Ledger"), ledger_words(rows));
  return text.text();
}

}  // namespace ringside
