// Break it: what to change, and above it what the last change did, in numbers.
#include <fmt/format.h>

#include <algorithm>

#include "ringside/lesson/lesson_text.h"
#include "ringside/lesson/section_title.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

// A gauge: its name, wrapped, and below it what the pinned run has and this one; in small letters where a
// half of the width is too narrow.
void gauge_row(const std::string& name, const std::string& pinned, const std::string& now, Type type) {
  const float half = ImGui::GetContentRegionAvail().x / 2;
  if (!name.empty()) ui::paragraph(name, colours().dim, Type::kLabel);
  const float wide = std::max(ui::text_width(type, pinned), ui::text_width(type, now));
  const FontScope font(!pinned.empty() && wide > half - px(4) ? Type::kLabel : type);
  if (!pinned.empty()) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colours().dim), "%s", pinned.c_str());
    ImGui::SameLine(ImGui::GetCursorPosX() + half);
  }
  ImGui::TextUnformatted(now.c_str());
}

// A row a gauge; what changed stands out.
void gauge_table(Desk& desk) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, px(8, 2));
  ImGui::BeginGroup();
  const KeptRun* pinned = desk.comparison.pinned();
  const SectionView* now = desk.watched_section();
  if (desk.comparison.compares_sections(desk.runs.trace(), now))
    gauge_row("", tr("pinned, {}", title_of(*pinned->trace.find(pinned->section))),
              tr("now, {}", title_of(*now)), Type::kLabel);
  else if (pinned)
    gauge_row("", tr("pinned"), tr("now"), Type::kLabel);
  for (const GaugeRow& row : desk.gauges()) {
    const bool other = change_of(row).value_or(Change::kSame) != Change::kSame;
    gauge_row(row.gauge->name, pinned ? gauge_with_unit(row, row.pinned) : "", gauge_with_unit(row, row.now),
              other ? Type::kBold : Type::kBody);
  }
  ImGui::EndGroup();
  ImGui::PopStyleVar();
  ui::mark("break.gauges");
  if (pinned) ui::tooltip(tr("pinned: {}", pinned->scenario));
}

// One click before the run: what will the gauge that says most do?
void change_question(Desk& desk) {
  if (desk.lesson().gauges.empty()) return;
  ImGui::Dummy(px(1, 4));
  const FontScope font(Type::kLabel);
  ui::remark(tr("Before you click a change below: will “{}” go down, stay or go up?",
                desk.lesson().gauges.front().name));
  int& next = desk.comparison.guess.next;
  int chosen = next == kNoGuess ? -1 : next + 1;
  if (ui::choice_row("break.guess", {tr("go down"), tr("stay"), tr("go up")}, chosen,
                     ImGui::GetContentRegionAvail().x))
    next = chosen - 1;
}

void back_button(Desk& desk) {
  const KeptRun* pinned = desk.comparison.pinned();
  if (pinned == nullptr || *pinned->config == desk.config()) return;
  ImGui::Dummy(px(1, 2));
  const FontScope font(Type::kLabel);
  const bool back = ui::button(tr("◂ back to the pinned line").c_str(), "break.back");
  ui::tooltip(pinned->scenario);
  if (back) desk.run(*pinned->config);
}

}  // namespace

void draw_break(Desk& desk, const Rect& rect) {
  const Area area("break", rect, true, 12);
  if (!desk.lesson().gauges.empty()) {
    gauge_table(desk);
    back_button(desk);
    change_question(desk);
    ImGui::Separator();
  }
  draw_controls(desk, rect.height() < px(640));
  View view = desk.view();
  const bool readout_first = desk.panel->folds_controls(view);
  if (readout_first) {
    desk.panel->readout(view);
    ImGui::Separator();
  }
  if (const ui::Markdown* text = desk.part(kBreakItPart)) {
    const auto clicked = text->draw(ImGui::GetContentRegionAvail().x, fmt::format("text.{}", kBreakItPart));
    if (!clicked.copied.empty()) desk.to_copy = clicked.copied;
    if (!clicked.run.empty()) desk.change_line(clicked.run);
  } else {
    ui::paragraph(tr("This lesson names nothing to break. Change a setting."));
  }
  if (readout_first) return;
  ImGui::Separator();
  desk.panel->readout(view);
}

}  // namespace ringside::gui
