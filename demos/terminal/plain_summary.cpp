#include "plain_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "figures.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"

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

}  // namespace

std::string plain_summary(const Lesson& lesson, const Config& config, const Trace& trace, int width,
                          bool colour) {
  const TraceRows& rows = trace.rows();
  std::string text = lesson.id + "   " + lesson.title + '\n';
  for (const std::string& line : rows.lines) text += line + '\n';
  text += first_figure(lesson, config, trace, width, colour);
  text += readout_lines(lesson, config, trace, static_cast<size_t>(width));
  return text + outcome_lines(rows) + claim_lines(rows, static_cast<size_t>(width)) + ledger_line(rows);
}

}  // namespace ringside
