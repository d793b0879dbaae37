// What can be looked at: the log line, other logs, counters, what each rank did last; and the answer.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
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

void heading(const char* text) { ui::paragraph(text, ui::colours().dim, Type::kLabel); }

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
  if (asks(scene.view, "first_bucket")) {
    for (const char* name : {"NumelIn=", "NumelOut="}) log = without_number(std::move(log), name);
  }
  if (log.empty()) return ui::paragraph("No rank has printed anything yet.", ui::colours().dim);
  log_text(log);
  ui::mark("log");
}

void draw_looks(const Scene& scene) {
  Investigation& opened = *scene.opened;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Look at");
  ImGui::SameLine();
  if (look_button(opened, "logs", "logs", "what each rank printed last")) opened.look("logs");
  ImGui::SameLine();
  if (look_button(opened, "dump", "dump", "the flight recorders of all ranks: who is in, who never called"))
    opened.look("dump");
  ImGui::SameLine();
  if (look_button(opened, "counters", "counters", "the last number completed and scheduled, rank by rank"))
    opened.look("counters");
  const std::string used = looks_words(opened.looks.size()) + " used";
  ui::beside(ui::text_width(Type::kBody, used), 16);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(used.c_str());
}

void draw_logs(const SectionView& section) {
  heading("What each rank printed last");
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
    if (!any) heading("What each rank did last");
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
  heading("The last number of each group, rank by rank");
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

void draw_naming(const Scene& scene) {
  Investigation& opened = *scene.opened;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Who?");
  ImGui::SameLine();
  std::vector<std::string> names;
  std::vector<const char*> labels;
  for (int rank = 0; rank < scene.section.ranks(); ++rank) names.push_back(fmt::format("rank {}", rank));
  for (const std::string& name : names) labels.push_back(name.c_str());
  const float each = ui::text_width(Type::kBody, "rank 0") + px(14);
  const float width = std::min(ImGui::GetContentRegionAvail().x, each * static_cast<float>(labels.size()));
  {
    const ui::FontScope font(width < each * static_cast<float>(labels.size()) ? Type::kLabel : Type::kBody);
    ui::choice_row("culprit", labels.data(), static_cast<int>(labels.size()), opened.rank, width);
  }
  constexpr const char* kCauses[] = {"late_gather", "one_batch_more", "evaluates_alone", "killed"};
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("It");
  for (const char* cause : kCauses) {
    const std::string words = cause_words(cause);
    ui::beside(ui::text_width(Type::kBody, words) + 2 * ImGui::GetStyle().FramePadding.x);
    if (ui::button(words.c_str(), std::string("cause.") + cause, opened.cause == cause)) opened.cause = cause;
  }
  const bool whole = opened.rank >= 0 && !opened.cause.empty();
  if (ui::button("say so", "answer", true, whole, whole ? "" : "name a rank and what it did"))
    opened.answer(scene.section);
  if (opened.tries == 0) return;
  ImGui::SameLine();
  if (ui::button("tell me", "tell")) opened.told = true;
}

void draw_verdict(const Scene& scene) {
  const Investigation& opened = *scene.opened;
  using Verdict = Investigation::Verdict;
  const std::string culprit = attribute(scene.section, nccl_lesson::kCulprit);
  const std::string truth =
      fmt::format("rank {} {}", culprit, cause_words(attribute(scene.section, nccl_lesson::kCause)));
  std::string text;
  if (opened.right)
    text = fmt::format("✓ Right: {}. Solved with {}{}.", truth, looks_words(opened.looks.size()),
                       opened.tries > 1 ? fmt::format(", at try {}", opened.tries) : "");
  else if (opened.told)
    text = fmt::format("— It was this: {}.", truth);
  else if (opened.verdict == Verdict::kOnlyRank)
    text = "✗ That rank, but it did something else. Look on.";
  else if (opened.verdict == Verdict::kOnlyCause)
    text = "✗ One of them did that, but not this rank. Look on.";
  else if (opened.verdict == Verdict::kWrong)
    text = "✗ Neither that rank nor that cause. Look on.";
  if (text.empty()) return;
  ui::paragraph(text, Type::kBold);
  ui::mark("verdict");
  if (!opened.open()) ui::paragraph(attribute(scene.section, nccl_lesson::kSentence));
}

}  // namespace ringside::nccl_panel
