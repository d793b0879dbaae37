// What is told of a job, for the eye: part by part as the report has them, whatever parts there are.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <set>

#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/compute.h"
#include "ringside/flight/words.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

constexpr size_t kMostEvidence = 4, kMostFindings = 8, kMostParts = 12, kMostWaits = 24;
constexpr size_t kMostNames = 40;  // letters of ranks in the picture
constexpr size_t kLarge = 100;     // bytes of a sentence
constexpr float kPicture = 116, kEachWait = 44, kNumbers = 96, kLogHead = 40;

struct SureMark {
  const char* glyph;
  ImU32 colour;
};
SureMark mark_of(Sure sure) {
  if (sure == Sure::kCertain) return {"●", colours().text};
  return sure == Sure::kLikely ? SureMark{"◐", colours().text} : SureMark{"○", colours().dim};
}
std::string sure_words(Sure sure) { return fmt::format("{} {}", mark_of(sure).glyph, to_string(sure)); }

// Behind a sentence, in one piece.
std::string sure_mark(Sure sure) {
  std::string words;
  for (const char c : sure_words(sure)) words += c == ' ' ? std::string("\u00a0") : std::string(1, c);
  return "[" + words + "]";
}

// "● certain   rank 3   exception   in #41 ALLREDUCE of group 0"
void facts_of(const Diagnosis& report, const Finding& finding, bool is_first) {
  std::string words = sure_words(finding.sure);
  if (!finding.ranks.empty()) words += "   " + flight::name_ranks(finding.ranks);
  std::string cause(to_string(finding.cause));
  std::ranges::replace(cause, '_', ' ');
  if (finding.cause != Cause::kNothing) words += "   " + cause;
  if (is_first && report.waits_for.size() == 1) words += "   " + tr("call {}", report.waits_for.front().call);
  ui::paragraph(words, mark_of(finding.sure).colour, Type::kLabel);
}

// A line of the log under a sentence; a click shows it there.
void draw_evidence(Desk& desk, const Evidence& one, std::set<std::string>& told, size_t nth) {
  const bool again = !told.insert(one.place + one.text).second;
  const std::string words =
      again ? tr("{}: as above", one.place) : fmt::format("{}  {}", one.place, as_typed(one.text, 400));
  desk.look.fonts.need(words);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = ui::line_height(Type::kMono) + px(6);
  const Rect rect{at, {at.x + width, at.y + height}};
  const bool clicked = ui::touch(fmt::format("on_call.evidence={}", nth), rect);
  const bool lit = one.file >= 0 && ImGui::IsItemHovered();
  ui::tooltip(one.file >= 0 ? tr("{}\nA click shows it in the log.", words) : words);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(rect.min, rect.max, lit ? colours().raised : colours().panel, px(3));
  list.AddRectFilled(rect.min, {rect.min.x + px(3), rect.max.y},
                     one.file >= 0 ? colours().accent : colours().line);
  ui::draw_text_in(list, {{rect.min.x + px(10), rect.min.y}, {rect.max.x - px(6), rect.max.y}},
                   colours().text, words, Type::kMono, false);
  if (clicked) desk.on_call.look_at(one);
}

void to_the_right(const std::string& text) {  // of a column of numbers
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, px(kNumbers) - ui::text_width(text)));
}

// Tensors and layers of a bucket, with their share of it.
void draw_parts(const Finding& finding) {
  if (finding.parts.empty()) return;
  const FontScope font(Type::kLabel);
  if (!ImGui::BeginTable("parts", 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersInnerH)) return;
  ImGui::TableSetupColumn(tr("part").c_str());
  for (const std::string& title : {tr("elements"), tr("share")})
    ImGui::TableSetupColumn(title.c_str(), ImGuiTableColumnFlags_WidthFixed, px(kNumbers));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < 3; ++i) {
    ImGui::TableSetColumnIndex(i);
    const char* title = ImGui::TableGetColumnName(i);
    if (i > 0) to_the_right(title);
    ImGui::TableHeader(title);
  }
  double all = 0;
  for (const CarriedPart& part : finding.parts) all += double(part.elements);
  const auto row = [&](const std::string& name, const std::string& elements, const std::string& share) {
    for (const std::string* text : {&name, &elements, &share}) {
      ImGui::TableNextColumn();
      if (text != &name) to_the_right(*text);
      ImGui::TextUnformatted(text->c_str());
    }
  };
  for (size_t i = 0; i < std::min(finding.parts.size(), kMostParts); ++i) {
    const CarriedPart& part = finding.parts[i];
    row(part.name, format_count(part.elements), fmt::format("{:.1f} %", 100 * double(part.elements) / all));
  }
  if (finding.parts.size() > kMostParts) row(tr("and {} more", finding.parts.size() - kMostParts), "", "");
  ImGui::EndTable();
}

void draw_finding(Desk& desk, const ReportSection& section, size_t nth, std::set<std::string>& told,
                  size_t& evidence) {
  const Finding& finding = section.findings[nth];
  desk.look.fonts.need(finding.sentence);
  ImGui::PushID(int(nth));
  const bool is_first = section.id == "first";
  if (is_first) facts_of(desk.on_call.report(), finding, nth == 0);
  const bool alone = is_first && section.findings.size() == 1;
  // The large font has no Chinese.
  const bool large = alone && finding.sentence.size() < kLarge &&
                     std::ranges::all_of(finding.sentence, [](char c) { return c > 0; });
  const Type type = large ? Type::kQuestion : alone ? Type::kBold : Type::kBody;
  ui::paragraph(
      is_first ? finding.sentence : fmt::format("{}  {}", finding.sentence, sure_mark(finding.sure)), type);
  for (size_t i = 0; i < std::min(finding.evidence.size(), kMostEvidence); ++i)
    draw_evidence(desk, finding.evidence[i], told, ++evidence);
  draw_parts(finding);
  space(4);
  ImGui::PopID();
}

// Released models that the call would fit, those with the same words in one row; their evidence is one line.
void draw_shortlist(Desk& desk, const ReportSection& section, std::set<std::string>& told, size_t& evidence) {
  struct Row {
    std::string models, words, sure;
  };
  std::vector<Row> rows;
  for (const Finding& one : section.findings) {
    const bool named = !one.model.empty() && one.sentence.starts_with(one.model + ": ");
    Row row{one.model, named ? one.sentence.substr(one.model.size() + 2) : one.sentence,
            sure_words(one.sure)};
    const auto same = std::ranges::find_if(
        rows, [&](const Row& other) { return other.words == row.words && other.sure == row.sure; });
    if (same != rows.end())
      same->models += ", " + row.models;
    else
      rows.push_back(std::move(row));
  }
  const FontScope font(Type::kLabel);
  if (ImGui::BeginTable("models", 3, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH)) {
    ImGui::TableSetupColumn(tr("released model").c_str(), 0, 2);
    ImGui::TableSetupColumn(tr("what it would be").c_str(), 0, 5);
    ImGui::TableSetupColumn(tr("how sure").c_str(), 0, 2);
    ImGui::TableHeadersRow();
    for (size_t i = 0; i < std::min(rows.size(), kMostFindings); ++i)
      for (const std::string* text : {&rows[i].models, &rows[i].words, &rows[i].sure}) {
        ImGui::TableNextColumn();
        ui::paragraph(*text, Type::kLabel);
      }
    ImGui::EndTable();
  }
  if (rows.size() > kMostFindings) ui::remark(tr("and {} more", rows.size() - kMostFindings));
  if (!section.findings.front().evidence.empty())
    draw_evidence(desk, section.findings.front().evidence.front(), told, ++evidence);
  space(4);
}

void draw_waits(Desk& desk) {
  OnCall& call = desk.on_call;
  if (call.report().waits_for.empty()) return;
  figure::each_text(call.waits, [&](const std::string& text) { desk.look.fonts.need(text); });
  const float more = std::min(7.0f, float(call.report().waits_for.size()) - 1);
  call.waits_view.draw("on_call.waits", {ImGui::GetContentRegionAvail().x, px(kPicture + kEachWait * more)},
                       call.waits, {.version = call.version});
  if (call.report().waits_for.size() > kMostWaits)
    ui::remark(tr("The picture has {} of {} waits.", kMostWaits, call.report().waits_for.size()));
  space();
}

void draw_lines(Desk& desk, const ReportSection& section) {
  for (const std::string& line : section.lines) {
    desk.look.fonts.need(line);
    bullet(line);
  }
  const std::string variables = section.id == "settle" ? environment_of(desk.on_call.report()) : "";
  if (!variables.empty() &&
      ui::button(tr("copy the variables").c_str(), "on_call.variables", false, true, variables, "V"))
    copy_environment(desk);
  space(4);
}

// Of an example: what was wrong.
void draw_planned(OnCall& call) {
  if (!call.told() || call.told()->planned.empty()) return;
  if (call.shows_planned)
    ui::paragraph(tr("What was planned: {}", call.told()->planned));
  else if (ui::button(tr("what was it?").c_str(), "on_call.planned", false, true,
                      tr("what the example planned")))
    call.shows_planned = true;
}

}  // namespace

// "Ranks 0-6", or how many where they are many pieces.
static std::string short_names(const std::vector<int>& ranks) {
  if (ranks.empty()) return tr("for whom cannot be told");
  const std::string names = flight::name_ranks(ranks);
  return names.size() < kMostNames ? flight::upper_first(names) : tr("{} ranks", ranks.size());
}

figure::Value waits_figure(const Diagnosis& diagnosis) {
  figure::Graph graph;
  std::map<std::vector<int>, size_t> nodes;
  const auto node = [&](const std::vector<int>& ranks) -> figure::Node& {
    const auto [place, is_new] = nodes.try_emplace(ranks, graph.nodes.size());
    if (is_new) graph.nodes.push_back({short_names(ranks)});
    return graph.nodes[place->second];
  };
  for (size_t i = 0; i < std::min(diagnosis.waits_for.size(), kMostWaits); ++i) {
    const WaitFor& wait = diagnosis.waits_for[i];
    std::string& detail = node(wait.from).detail;
    // The size stands in the sentence above; of several calls it may be what differs.
    const bool alone = diagnosis.waits_for.size() == 1;
    const std::string call = alone ? wait.call.substr(0, wait.call.find(" of ")) : wait.call;
    detail += detail.empty() ? tr("in {}", call) : tr("; and in {}", call);
    node(wait.on);
    graph.edges.push_back({nodes[wait.from], nodes[wait.on], i == 0 ? tr("wait for") : ""});
  }
  for (const WaitFor& wait : diagnosis.waits_for) {
    const auto found = nodes.find(wait.on);
    if (found == nodes.end() || wait.on.empty() || !graph.nodes[found->second].detail.empty()) continue;
    graph.nodes[found->second].detail = sure_words(wait.sure);
    if (wait.sure != Sure::kCannotBeTold) graph.nodes[found->second].ink = figure::Ink::kAlarm;
  }
  if (graph.nodes.empty()) return figure::Nothing{tr("Nobody is said to wait.")};
  return graph;
}

void draw_on_call_report(Desk& desk, const Rect& rect) {
  const Area area("on_call.report", rect, true, 16);
  OnCall& call = desk.on_call;
  const std::vector<ReportSection> sections = call.sections();  // an act may make others
  const bool has_waits =
      std::ranges::any_of(sections, [](const ReportSection& one) { return one.id == "waits"; });
  std::set<std::string> told;
  size_t evidence = 0;
  for (const ReportSection& section : sections) {
    ui::paragraph(section.heading, Type::kBold);
    ui::mark("on_call.section=" + section.id);
    const bool shortlist =
        section.findings.size() > 1 &&
        std::ranges::any_of(section.findings, [](const Finding& one) { return !one.model.empty(); });
    ImGui::PushID(section.id.c_str());
    if (shortlist)
      draw_shortlist(desk, section, told, evidence);
    else
      for (size_t i = 0; i < std::min(section.findings.size(), kMostFindings); ++i)
        draw_finding(desk, section, i, told, evidence);
    if (!shortlist && section.findings.size() > kMostFindings)
      ui::remark(tr("and {} more", section.findings.size() - kMostFindings));
    if (section.id == (has_waits ? "waits" : "first")) draw_waits(desk);
    draw_lines(desk, section);
    ImGui::PopID();
  }
  draw_planned(call);
}

void draw_on_call_log(Desk& desk, const Rect& rect) {
  OnCall& call = desk.on_call;
  const Area area("on_call.log", rect, false, 0);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect head{rect.min, {rect.max.x, rect.min.y + px(kLogHead)}};
  list.AddLine({rect.min.x, rect.min.y}, {rect.min.x, rect.max.y}, colours().line);
  const std::string count =
      call.lines->counting() ? tr("counting lines") : tr("{} lines", format_count(call.lines->count()));
  const std::string words = tr("{}, {}", call.log_name(), count);
  desk.look.fonts.need(words);
  ImGui::SetCursorScreenPos({head.min.x + px(8), head.min.y + px(6)});
  if (ui::button("◂", "on_call.line_before", false, !call.marked().empty(), tr("the line of evidence before"),
                 "["))
    call.next_evidence(-1);
  ImGui::SameLine(0, px(4));
  if (ui::button("▸", "on_call.line_after", false, !call.marked().empty(), tr("the next line of evidence"),
                 "]"))
    call.next_evidence(1);
  ImGui::SameLine(0, px(8));
  ui::draw_label(list, {{ImGui::GetCursorScreenPos().x, head.min.y}, {head.max.x - px(8), head.max.y}},
                 colours().dim, words);
  ImGui::SetCursorScreenPos({rect.min.x + px(2), head.max.y});
  call.view.draw("on_call.lines", {rect.width() - px(2), rect.max.y - head.max.y}, *call.lines,
                 {.marked = call.marked(), .hide_names = call.names_hidden()});
}

}  // namespace ringside::gui
