// What can be looked at: the log line, other logs, counters, what each rank did last; and the answer.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

// Monospace, broken at words where it must be.
void log_text(const std::string& text) {
  const ui::FontScope font(Type::kMono);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

void heading(const std::string& text) { ui::paragraph(text, ui::colours().dim, Type::kLabel); }

// "rank 3" and beside it what is said of it.
void rank_row(int rank, const std::string& text, bool mono, ImU32 colour) {
  const ui::FontScope font(mono ? Type::kMono : Type::kLabel);
  const float indent = ui::text_width(Type::kBody, "rank 0") + px(12), left = ImGui::GetCursorPosX();
  {
    const ui::FontScope label(Type::kLabel);
    ImGui::TextUnformatted(fmt::format("rank {}", rank).c_str());
  }
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(left + indent);
  ImGui::PushTextWrapPos(left + ImGui::GetContentRegionAvail().x + indent);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

std::string without_number(std::string text, const std::string& name) {  // "NumelIn=?"
  const size_t at = text.find(name);
  if (at == std::string::npos) return text;
  const size_t begin = at + name.size(),
               end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  return text.replace(begin, end - begin, "?");
}

bool look_button(Investigation& opened, const char* name, const char* label, const char* hint) {
  const bool done = opened.looked(name);
  const std::string text = (done ? "✓ " : "") + std::string(label);
  return ui::button(text.c_str(), std::string("look.") + name, false, !done, hint);
}

}  // namespace

void draw_log_line(const Scene& scene) {
  std::string log = attribute(scene.section, nccl_lesson::kShownLog);
  if (asks_how_many(scene.view)) {
    for (const char* name : {"NumelIn=", "NumelOut="}) log = without_number(std::move(log), name);
  }
  if (log.empty()) return ui::paragraph(tr("No rank has printed anything yet."), ui::colours().dim);
  log_text(log);
  ui::mark("log");
}

// It ended well, and is not well: the only thing that tells is the other run.
void draw_unnoticed(const Unnoticed& fault) {
  if (!fault.is_known())
    return ui::paragraph(tr("It ran to its end. No check and no deadline noticed the fault."));
  const ImU32 colour = fault.differs() ? ui::colours().alarm : ui::colours().text;
  ui::paragraph(fault.differs()
                    ? tr("✗ Nothing noticed the fault, and the parameters are others than without it.")
                    : tr("Nothing noticed the fault; the parameters are those of the run without it."),
                colour, Type::kBold);
  ui::mark("unnoticed");
  constexpr size_t kShown = 16;  // digits of a hash
  log_text(tr("with the fault     {}…", fault.with.substr(0, kShown)));
  log_text(tr("without the fault  {}…", fault.without.substr(0, kShown)));
  if (fault.differs())
    ui::paragraph(
        tr("Size and type agree on all ranks, so the check passes the call. Its contents are wrong."),
        ui::colours().dim, Type::kLabel);
}

void draw_looks(const Scene& scene) {
  Investigation& opened = *scene.opened;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("Look at").c_str());
  ImGui::SameLine();
  if (look_button(opened, "logs", "logs", "what each rank printed last")) opened.look("logs");
  ImGui::SameLine();
  if (look_button(opened, "dump", "dump", "the flight recorders of all ranks: who is in, who never called"))
    opened.look("dump");
  ImGui::SameLine();
  if (look_button(opened, "counters", "counters", "the last number completed and scheduled, rank by rank"))
    opened.look("counters");
  const std::string used = tr("{} used", looks_words(opened.looks.size()));
  ui::beside(ui::text_width(Type::kBody, used), 16);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(used.c_str());
}

void draw_logs(const SectionView& section) {
  heading(tr("What each rank printed last"));
  for (int rank = 0; rank < section.ranks(); ++rank) {
    const std::string log = nccl_lesson::last_of(section, rank).log;
    rank_row(rank, log.empty() ? "nothing" : log, !log.empty(),
             log.empty() ? ui::colours().dim : ui::colours().text);
  }
  ui::mark("logs");
}

void draw_last(const SectionView& section) {
  bool any = false;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    const std::string last = nccl_lesson::last_of(section, rank).did_last;
    if (last.empty()) continue;
    if (!any) heading(tr("What each rank did last"));
    any = true;
    rank_row(rank, last, false, ui::colours().text);
  }
  if (any) ui::mark("last");
}

namespace {

struct Column {
  std::string title;
  std::vector<std::string> cells;  // by rank
  bool agrees = true;
};

Column column_of(const SequenceIndex& index, size_t group, bool completed, int64_t time_ns,
                 const std::set<int>& gone) {
  Column column{index.groups()[group] + (completed ? " completed" : " scheduled"), {}, true};
  std::set<std::string> different;
  for (int rank = 0; rank < index.ranks(); ++rank) {
    const Call* call =
        completed ? index.last_completed(rank, group, time_ns) : index.last_called(rank, group, time_ns);
    column.cells.push_back(gone.contains(rank) ? "—"
                           : call == nullptr   ? "none"
                                               : fmt::format("#{}", call->seq));
    if (!gone.contains(rank)) different.insert(column.cells.back());
  }
  column.agrees = different.size() <= 1;
  return column;
}

}  // namespace

void draw_counters(const Scene& scene, const SequenceIndex& index, int64_t time_ns) {
  const std::set<int> gone = gone_ranks(scene.section);
  std::vector<Column> columns;
  for (size_t group = 0; group < index.groups().size(); ++group) {
    for (const bool completed : {true, false})
      columns.push_back(column_of(index, group, completed, time_ns, gone));
  }
  heading(tr("The last number of each group, rank by rank"));
  const ui::FontScope font(Type::kLabel);
  if (!ImGui::BeginTable("counters", static_cast<int>(columns.size()) + 1, ImGuiTableFlags_SizingFixedFit))
    return;
  ImGui::TableNextColumn();
  for (const Column& column : columns) {
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", column.title.c_str());
  }
  for (int rank = 0; rank < index.ranks(); ++rank) {
    ImGui::TableNextColumn();
    ImGui::Text("rank %d", rank);
    for (const Column& column : columns) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(column.cells[static_cast<size_t>(rank)].c_str());
    }
  }
  ImGui::TableNextColumn();
  for (const Column& column : columns) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(column.agrees ? "= agree" : "≠ differ");
  }
  ImGui::EndTable();
  ui::mark("counters");
}

namespace {

void name_rank(Investigation& opened, int ranks) {
  ui::paragraph(tr("Which rank?"));
  std::vector<std::string> names;
  std::vector<const char*> labels;
  for (int rank = 0; rank < ranks; ++rank) names.push_back(fmt::format("rank {}", rank));
  for (const std::string& name : names) labels.push_back(name.c_str());
  const float each = ui::text_width(Type::kBody, "rank 0") + px(14);
  const float width = std::min(ImGui::GetContentRegionAvail().x, each * static_cast<float>(labels.size()));
  const ui::FontScope font(width < each * static_cast<float>(labels.size()) ? Type::kLabel : Type::kBody);
  ui::choice_row("culprit", labels.data(), static_cast<int>(labels.size()), opened.rank, width);
}

void name_cause(Investigation& opened) {
  constexpr const char* kCauses[] = {"late_gather", "one_batch_more", "evaluates_alone", "killed"};
  ui::paragraph(tr("What did it do?"));
  const ui::FontScope font(ImGui::GetContentRegionAvail().x < px(280) ? Type::kLabel : Type::kBody);
  for (const char* cause : kCauses) {
    if (!ui::button(cause_words(cause).c_str(), std::string("cause.") + cause, opened.cause == cause))
      continue;
    opened.cause = cause;
    opened.verdict = Investigation::Verdict::kNone;
  }
}

}  // namespace

void draw_naming(const Scene& scene) {
  Investigation& opened = *scene.opened;
  const int before = opened.rank;
  name_rank(opened, scene.section.ranks());
  if (opened.rank != before) opened.verdict = Investigation::Verdict::kNone;
  if (!opened.by_rank) name_cause(opened);
  if (ui::button(tr("Check my answer").c_str(), "answer", true, opened.is_whole(),
                 opened.is_whole() ? "" : tr("name a rank and what it did")))
    opened.answer(scene.section);
  if (opened.tries == 0) return;
  const std::string tell = tr("Show the answer");
  ui::beside(ui::text_width(Type::kBody, tell) + 2 * ImGui::GetStyle().FramePadding.x);
  if (ui::button(tell.c_str(), "tell")) opened.told = true;
}

void draw_verdict(const Scene& scene) {
  const Investigation& opened = *scene.opened;
  using Verdict = Investigation::Verdict;
  const std::string culprit = attribute(scene.section, nccl_lesson::kCulprit);
  const std::string truth =
      tr("rank {} {}", culprit, cause_words(attribute(scene.section, nccl_lesson::kCause)));
  std::string text;
  if (opened.right)
    text = tr("✓ Right: {}; {}.", truth, solved_words(opened));
  else if (opened.told)
    text = tr("— It was this: {}.", truth);
  else if (opened.verdict == Verdict::kOnlyRank)
    text = tr("✗ That rank, but it did something else. Collect more evidence.");
  else if (opened.verdict == Verdict::kOnlyCause)
    text = tr("✗ Wrong rank: that one was only waiting. Collect more evidence.");
  else if (opened.verdict == Verdict::kWrong)
    text = opened.by_rank ? tr("✗ Wrong rank: that one was only waiting. Collect more evidence.")
                          : tr("✗ Neither that rank nor that cause. Collect more evidence.");
  if (text.empty()) return;
  ui::paragraph(text, Type::kBold);
  ui::mark("verdict");
  if (!opened.open()) ui::paragraph(attribute(scene.section, nccl_lesson::kSentence));
}

}  // namespace ringside::nccl_panel
