// Below the reveal: what the run says about the claims, the ledger, and its figures. Folded until the last
// question is answered: each of them tells the answers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

// The colour of a verdict is its glyph's: a page of claims is to be read, not to alarm.
void claim_line(const ClaimRow& claim) {
  const ui::VerdictMark mark = ui::mark_of(claim.verdict);
  const std::string word = not_told_apart(claim) ? tr("not told apart") : std::string(mark.word);
  ui::paragraph(mark.glyph, mark.colour);
  ImGui::SameLine(px(24));
  ImGui::BeginGroup();
  ui::paragraph(fmt::format("{}   “{}”  [{}]", word, claim.statement, claim.source));
  ui::remark(claim.evidence);
  ImGui::EndGroup();
}

// What stands in brackets behind a claim.
void sources(const Lesson& lesson, const std::vector<ClaimRow>& rows) {
  std::vector<std::string> named;
  for (const std::string& question : lesson.questions)
    if (std::ranges::any_of(rows, [&](const ClaimRow& row) { return row.source.starts_with(question); }))
      named.push_back("[" + question + "]");
  if (!named.empty())
    ui::remark(
        tr("In brackets: who says so. {}: the usual answer to this lesson's interview question; others are "
           "papers, programs and common beliefs.",
           join(named)));
}

void claims(const Lesson& lesson, const Trace& trace) {
  if (trace.rows().claims.empty())
    return ui::paragraph(tr("The run judges its claims when it ends."), colours().dim);
  const auto& rows = trace.rows().claims;
  sources(lesson, rows);
  Columns columns("claims", is_wide());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && i == (rows.size() + 1) / 2) columns.next();
    claim_line(rows[i]);
  }
}

std::string bytes_of_reasons(const LedgerRow& row) {
  std::string text;
  for (const LedgerReason& reason : row.reasons)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason.name, reason.bytes);
  return text;
}

figure::TableCell number_cell(int64_t value) { return {format_count(value), double(value)}; }

// Memory and traffic share the columns: a moment, or an operation. The last two are left out where the line
// above the table has said that they are empty.
figure::Table ledger_table(const std::vector<LedgerRow>& rows, bool all_explained) {
  const bool reasons = std::ranges::any_of(rows, [](const LedgerRow& row) { return !row.reasons.empty(); });
  figure::Table table{{{"section"},
                       {"rank", "", true},
                       {"category"},
                       {"at, by"},
                       {"predicted", "B", true},
                       {"counted", "B", true}},
                      {}};
  if (reasons || !all_explained) table.columns.push_back({"reasons"});
  if (!all_explained) table.columns.push_back({"unexplained", "B", true});
  for (const LedgerRow& row : rows) {
    if (row.unexplained() != 0) table.lit.push_back(table.rows.size());
    table.rows.push_back({{row.section},
                          number_cell(row.rank),
                          {row.category},
                          {row.at.empty() ? row.op : row.at},
                          row.predicted ? number_cell(*row.predicted) : figure::TableCell{"only counted"},
                          number_cell(row.counted),
                          {bytes_of_reasons(row)},
                          number_cell(row.unexplained())});
  }
  return table;
}

void ledger(Desk& desk, const Trace& trace, float height) {
  const auto& rows = trace.rows().ledger;
  if (rows.empty())
    return ui::paragraph(
        trace.complete() ? tr("This run keeps no ledger.") : tr("The ledger is closed when the run ends."),
        colours().dim);
  int64_t unexplained = 0;
  for (const LedgerRow& row : rows) unexplained += std::abs(row.unexplained());
  if (unexplained == 0)
    ui::paragraph(fmt::format("✓ every byte explained, memory and traffic, {} rows", rows.size()));
  else
    ui::paragraph(fmt::format("✗ {} bytes are unexplained", unexplained), colours().alarm);
  const std::pair of{desk.view().run, rows.size()};
  if (std::exchange(desk.ledger.of, of) != of) desk.ledger.table = ledger_table(rows, unexplained == 0);
  desk.ledger.picture.draw("ledger", {ImGui::GetContentRegionAvail().x, height - px(30)}, desk.ledger.table,
                           {.version = of.first});
}

// "stage_1_sent_psi_per_step" as people say it: "stage 1: sent Ψ a step". A suffix that is a unit goes to the
// value.
std::string outcome_words(std::string name) {
  const auto replace = [&](std::string_view what, std::string_view by) {
    for (size_t at = name.find(what); at != std::string::npos; at = name.find(what, at + by.size()))
      name.replace(at, what.size(), by);
  };
  for (const char* unit : {"_ms", "_bytes"})
    if (name.ends_with(unit)) name.erase(name.rfind(unit));
  replace("_psi", "_Ψ");
  replace("_per_", "_a_");
  for (char digit = '0'; digit <= '9'; ++digit)
    replace(std::string("stage_") + digit + "_", std::string("stage_") + digit + ":_");
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string outcome_value(const std::string& name, double value) {
  return name.ends_with("_bytes") ? format_bytes(value)
         : name.ends_with("_ms")  ? format_duration(value / 1000)
         : name == "seconds"      ? format_duration(value)
                                  : fmt::format("{:.6g}", value);
}

bool has_outcome(const Trace& trace) {
  return !trace.rows().outcome.empty() || !trace.rows().outcome_text.empty();
}

void outcome(const Trace& trace) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [name, value] : trace.rows().outcome) lines.emplace_back(name, outcome_value(name, value));
  for (const auto& [name, value] : trace.rows().outcome_text) lines.emplace_back(name, value);
  Columns columns("outcome", is_wide());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && i == (lines.size() + 1) / 2) columns.next();
    ui::remark(outcome_words(lines[i].first));
    ImGui::SameLine(px(300));
    ui::paragraph(lines[i].second, Type::kLabel);
  }
}

}  // namespace

void draw_rows(Desk& desk) {
  const size_t claimed = desk.lesson().claims.size();
  if (!desk.guessing.open_questions(desk.step()).empty()) {
    ui::remark(claimed == 0
                   ? tr("After the last question this page also shows the ledger and all measurements.")
                   : tr("After the last question this page also shows {} claims on trial, the "
                        "ledger and all measurements.",
                        claimed));
    return ui::mark("numbers.folded");
  }
  const Trace& trace = desk.runs.trace();
  {
    const FontScope font(Type::kLabel);
    std::vector<std::string> parts = {"claims", "ledger"};
    if (has_outcome(trace)) parts.push_back("outcome");
    ui::choice_row("numbers", parts, desk.open_fold, std::min(px(300), ImGui::GetContentRegionAvail().x));
  }
  if (desk.open_fold < 0) return;
  const float height = std::max(px(110), ImGui::GetContentRegionAvail().y);  // else the area scrolls
  ImGui::BeginChild("rows", {0, height});
  if (desk.open_fold == 0) claims(desk.lesson(), trace);
  if (desk.open_fold == 1) ledger(desk, trace, height);
  if (desk.open_fold == 2) outcome(trace);
  ImGui::EndChild();
}

}  // namespace ringside::gui
