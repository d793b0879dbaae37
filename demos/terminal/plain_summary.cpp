#include "plain_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/text.h"
#include "ringside/base/units.h"

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

}  // namespace

std::string plain_summary(const Lesson& lesson, const Trace& trace, int width) {
  const TraceRows& rows = trace.rows();
  std::string text = lesson.id + "   " + lesson.title + '\n';
  for (const std::string& line : rows.lines) text += line + '\n';
  return text + outcome_lines(rows) + claim_lines(rows, static_cast<size_t>(width)) + ledger_line(rows);
}

}  // namespace ringside
