#include "plain_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

constexpr size_t kIndent = 10;  // of what follows "Claims", "Ledger", ...

std::string label(const std::string& text) { return pad(text, kIndent); }

std::string claim_lines(const TraceRows& rows, size_t width) {
  std::string text;
  for (const ClaimRow& claim : rows.claims) {
    const std::string line = std::string(to_string(claim.verdict)) + "  \"" + claim.statement + "\"   " +
                             claim.evidence + (claim.source.empty() ? "" : "   [" + claim.source + "]");
    text += label(text.empty() ? "Claims" : "") + wrap(line, width, kIndent) + '\n';
  }
  return text;
}

std::string ledger_line(const TraceRows& rows) {
  if (rows.ledger.empty()) return "";
  int64_t unexplained = 0;
  for (const LedgerRow& row : rows.ledger) unexplained += std::abs(row.unexplained());
  return label("Ledger") +
         (unexplained == 0 ? "every byte explained"
                           : format_bytes(static_cast<double>(unexplained)) + " unexplained") +
         '\n';
}

std::string outcome_lines(const TraceRows& rows) {
  std::string text;
  for (const auto& [name, value] : rows.outcome) {
    text += label(text.empty() ? "Outcome" : "") + fmt::format("{} {:.6g}\n", name, value);
  }
  return text;
}

std::string first_figure(const Lesson& lesson, const Config& config, const Trace& trace, int width,
                         bool colour) {
  if (lesson.figures.empty()) return "";
  const FigureSpec& spec = lesson.figures.front();
  return figure_text(lesson, spec, default_input(config, spec, trace), width, colour) + '\n';
}

std::string readout_lines(const Lesson& lesson, const Config& config, const Trace& trace, size_t width) {
  const FigureSpec spec = lesson.figures.empty() ? FigureSpec() : lesson.figures.front();
  std::string text;
  for (const Readout& readout : figure::readouts(lesson, default_input(config, spec, trace)))
    text += (text.empty() ? "" : ", ") + readout.name + " " + readout.value;
  return text.empty() ? "" : label("Measured") + wrap(text, width, kIndent) + '\n';
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
std::string answer_lines(const Lesson& lesson, const Config& config, const Trace& trace, size_t width) {
  std::string text;
  if (!trace.complete()) return text;
  const TraceRows& rows = trace.rows();
  for (const PredictionSpec& spec : lesson.predictions) {
    const auto row = std::find_if(rows.predictions.begin(), rows.predictions.end(),
                                  [&](const PredictionRow& one) { return one.id == spec.id; });
    if (row == rows.predictions.end()) continue;
    const std::string line = spec.question + " " + answer_of(spec, config, *row);
    text += label(text.empty() ? tr("Answers") : "") + wrap(line, width, kIndent) + '\n';
  }
  return text;
}

}  // namespace

std::string plain_summary(const Lesson& lesson, const Config& config, const Trace& trace, int width,
                          bool colour, bool with_figure) {
  const TraceRows& rows = trace.rows();
  std::string text = lesson.id + "   " + lesson.title + '\n';
  const auto columns = static_cast<size_t>(width);
  if (with_figure)
    text += first_figure(lesson, config, trace, width, colour);  // its sentence is the third line
  for (const std::string& line : rows.lines) text += line + '\n';
  text += readout_lines(lesson, config, trace, columns);
  return text + outcome_lines(rows) + answer_lines(lesson, config, trace, columns) +
         claim_lines(rows, columns) + ledger_line(rows);
}

}  // namespace ringside
