// The live panel's results, and how its lines are drawn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "live_words.h"
#include "ringside/lesson/tr.h"
#include "ringside/panel/live_panel.h"
#include "ringside/widgets/items.h"

namespace ringside {

using ui::px;

// ---- Results ------------------------------------------------------------------------------

void LivePanel::results(const View& view, int64_t time_ns) {
  const auto values = index_.values(time_ns);
  const auto& gauges = declared_.value().gauges;
  const bool tells = view.open == nullptr || view.open->empty();
  const bool any_gauge =
      tells && std::ranges::any_of(gauges, [](const auto& one) { return one.has_value(); });
  if (values.empty() && !any_gauge && !has_lines(LivePart::kResults)) return;
  begin(kResultsPart, "");
  for (const figure::LiveValue& value : values) {
    std::string before;
    if (!pinned_.of.empty())
      for (const auto& one : pinned_.index.values(view.pinned->time_ns))
        if (one.name == value.name) before = number_text(one.value, "");
    line({tr("{}, step {}", value.name, value.step), number_text(value.value, ""), before,
          tr("recorded {} before this instant", seconds_text(value.age_ns)), 0, value.name});
  }
  declared(view, LivePart::kResults);
  for (size_t i = 0; i < gauges.size() && tells; ++i) {
    const Gauge& gauge = view.lesson.gauges[i];
    if (!gauges[i] || !std::isfinite(*gauges[i])) continue;
    const auto before = i < pinned_.declared.gauges.size() ? pinned_.declared.gauges[i] : std::nullopt;
    line({gauge.name, number_text(*gauges[i], gauge.unit),
          before ? number_text(*before, gauge.unit == "bytes" ? "bytes" : "") : "", "", 0, gauge.name});
  }
}

bool LivePanel::has_lines(LivePart part) const {
  return std::ranges::any_of(declared_.value().lines, [&](const LiveLine& one) { return one.part == part; });
}

// What the lesson's own rows tell; while the picture of such a line is closed, it waits as well.
void LivePanel::declared(const View& view, LivePart part) {
  for (const LiveLine& one : declared_.value().lines) {
    if (one.part != part) continue;
    const std::string picture = picture_of(view, name_of_part(part));
    if (is_closed(view, picture)) return ui::remark(tr("The rest is shown once its question is answered."));
    std::string before;
    for (const LiveLine& old : pinned_.declared.lines)
      if (old.part == part && old.name == one.name) before = number_text(old.value, old.unit);
    line({one.name, number_text(one.value, one.unit) + (one.more.empty() ? "" : " + " + one.more), before});
  }
}

// ---- Lines --------------------------------------------------------------------------------

void LivePanel::begin(const char* part, const std::string& words) {
  part_ = part;
  ImGui::Dummy(px(1, 2));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, high = ui::line_height();
  const std::string picture = picture_of(*view_, part);
  const ui::Rect row{at, {at.x + width, at.y + high}};
  if (!picture.empty() && ui::touch(std::string("live.") + part, row)) clicked_ = picture;
  if (picture.empty()) ImGui::Dummy({width, high});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({at.x, at.y - px(2)}, {at.x + width, at.y - px(2)}, ui::colours().line, px(1));
  const float name = ui::text_width(part) + px(8);
  ui::draw_label(list, {at, {at.x + name, row.max.y}}, ui::colours().text, part);
  const bool pins = !pinned_.of.empty();
  ui::draw_label(list, {{at.x + name, at.y}, {row.max.x - (pins ? px(60) : 0), row.max.y}}, ui::colours().dim,
                 words);
  if (pins)
    ui::draw_text(list, {row.max.x - ui::text_width(tr("pinned")), at.y}, ui::colours().dim, tr("pinned"));
}

// Name at the left, value at the right, the pinned run's behind it.
void LivePanel::line(const Line& line) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, high = ui::line_height();
  std::string picture = picture_of(*view_, line.key);
  if (picture.empty()) picture = picture_of(*view_, part_);
  const std::string mark = "live." + part_ + "." + (line.key.empty() ? line.name : line.key);
  const ui::Rect row{at, {at.x + width, at.y + high}};
  if (ui::touch(mark, row) && !picture.empty()) clicked_ = picture;
  if (!line.tip.empty()) ui::tooltip(line.tip);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (!picture.empty() && ImGui::IsItemHovered())
    list.AddRectFilled(row.min, row.max, ui::colours().raised, px(2));
  const bool pins = !pinned_.of.empty();
  const float right = row.max.x - (pins ? px(66) : 0), value = ui::text_width(line.value);
  const float left = at.x + (line.colour != 0 ? px(12) : 0);
  if (line.colour != 0)
    list.AddRectFilled({at.x, at.y + px(4)}, {at.x + px(8), at.y + px(12)}, line.colour, px(1));
  ui::draw_label(list, {{left, at.y}, {right - value - px(6), row.max.y}}, ui::colours().dim, line.name);
  ui::draw_text(list, {right - value, at.y}, ui::colours().text, line.value);
  if (!line.pinned.empty())
    ui::draw_text(list, {row.max.x - ui::text_width(line.pinned), at.y}, ui::colours().dim, line.pinned);
  state_[part_ + "." + (line.key.empty() ? line.name : line.key)] = line.value;
}

}  // namespace ringside
