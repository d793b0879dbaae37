// Break it: what to change, and above it what the last change did, in numbers.
#include <fmt/format.h>

#include "ringside/lesson/lesson_text.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

void cell(const Rect& row, float from, float to, const std::string& text, ImU32 colour, Type type) {
  ui::draw_text_in(*ImGui::GetWindowDrawList(), {{row.min.x + from, row.min.y}, {row.min.x + to, row.max.y}},
                   colour, text, type, false);
}

// A row a gauge; what changed stands out.
void gauge_table(Desk& desk) {
  const auto& rows = desk.gauges();
  const float width = ImGui::GetContentRegionAvail().x, height = ui::line_height(Type::kBody) + px(4);
  const float pinned = width * 0.36f, now = width * 0.6f;
  const auto line = [&](const std::string& name, const std::string& a, const std::string& b, ImU32 colour,
                        Type type) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect row{at, {at.x + width, at.y + height}};
    cell(row, 0, pinned - px(4), name, colours().dim, type == Type::kLabel ? type : Type::kBody);
    cell(row, pinned, now - px(4), a, colours().dim, type == Type::kLabel ? type : Type::kBody);
    cell(row, now, width, b, colour, type);
    ImGui::Dummy({width, height});
  };
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, px(8, 0));
  ImGui::BeginGroup();
  const View view = desk.view();
  line(view.section == nullptr ? "" : view.section->name(), desk.pinned ? tr("pinned") : "", tr("now"),
       colours().dim, Type::kLabel);
  for (const GaugeRow& row : rows) {
    const bool other = change_of(row).value_or(Change::kSame) != Change::kSame;
    const std::string unit = row.gauge->unit.empty() || !row.now ? "" : " " + row.gauge->unit;
    line(row.gauge->name, desk.pinned ? gauge_text(row, row.pinned) : "", gauge_text(row, row.now) + unit,
         colours().text, other ? Type::kBold : Type::kBody);
  }
  ImGui::EndGroup();
  ImGui::PopStyleVar();
  ui::mark("break.gauges");
  if (desk.pinned) ui::tooltip(tr("pinned: {}", desk.pinned->scenario));
}

// One click before the run: what will the gauge that says most do?
void change_question(Desk& desk) {
  if (desk.lesson->gauges.empty()) return;
  ImGui::Dummy(px(1, 4));
  const FontScope font(Type::kLabel);
  ui::remark(tr("Before you click a change below: will “{}” go down, stay or go up?",
                desk.lesson->gauges.front().name));
  int chosen = desk.change_guess.next == kNoGuess ? -1 : desk.change_guess.next + 1;
  if (ui::choice_row("break.guess", {tr("go down"), tr("stay"), tr("go up")}, chosen,
                     ImGui::GetContentRegionAvail().x))
    desk.change_guess.next = chosen - 1;
}

void back_button(Desk& desk) {
  if (!desk.pinned || *desk.pinned->config == *desk.config) return;
  ImGui::Dummy(px(1, 2));
  const FontScope font(Type::kLabel);
  if (ui::button(tr("◂ back to the pinned line").c_str(), "break.back")) desk.pinned_line();
  ui::tooltip(desk.pinned->scenario);
}

}  // namespace

void draw_break(Desk& desk, const Rect& rect) {
  const Area area("break", rect, true, 12);
  if (!desk.lesson->gauges.empty()) {
    gauge_table(desk);
    back_button(desk);
    change_question(desk);
    ImGui::Separator();
  }
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
    ui::paragraph(tr("This lesson names nothing to break. Move a parameter."));
  }
  if (readout_first) return;
  ImGui::Separator();
  desk.panel->readout(view);
}

}  // namespace ringside::gui
