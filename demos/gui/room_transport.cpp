// The playhead's bar: which section is watched, play and step, speed, and the timeline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/section_title.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

// A small window: the row of buttons must end before the inspector.
bool is_narrow() { return ImGui::GetWindowWidth() < px(740); }
bool is_tight() { return ImGui::GetWindowWidth() < px(480); }  // signs instead of words

// "1f1b…dp2,pp2": what tells sections apart may stand at either end.
std::string without_middle(const std::string& text, float width) {
  if (ui::text_width(text) <= width) return text;
  const float half = (width - ui::text_width("…")) / 2;
  size_t end = text.size();
  while (end > 0 && ui::text_width(std::string_view(text).substr(end - 1)) <= half) --end;
  while (end < text.size() && continues_letter(text[end])) ++end;
  const std::string begin = ui::elide(text, half + ui::text_width("…"));
  return begin + text.substr(end);
}

void section_list(Desk& desk) {
  const SectionView* now = desk.watched_section();
  const std::string name = now == nullptr ? tr("no section yet") : title_of(*now);
  const float width = px(is_tight() ? 76 : is_narrow() ? 100 : 150);
  ImGui::SetNextItemWidth(width);
  const float room = width - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  const bool open = ImGui::BeginCombo("##section", without_middle(name, room).c_str());
  ui::mark("section");
  if (!open) return ui::tooltip(tr("{}: the part of the run that is watched", name), "[ ]");
  View view = desk.view();
  for (const SectionView& section : desk.runs.trace().sections()) {
    if (!desk.panel->offers(view, section.name())) continue;
    const std::string label = title_of(section) + "##" + section.name();
    if (ImGui::Selectable(label.c_str(), now != nullptr && section.name() == now->name()))
      desk.wishes.watch = section.name();
    ui::mark("section=" + section.name());
  }
  ImGui::EndCombo();
}

void stride_button(Desk& desk, const std::string& label, const char* name, Stride by, int direction,
                   const std::string& meaning, const char* key) {
  if (ui::button(label.c_str(), name, false, true, meaning, key)) desk.watching.stride(by, direction);
  ImGui::SameLine(0, px(3));
}

std::string speed_text(double speed) {
  if (is_narrow()) return speed >= 1 ? "1×" : fmt::format("1/{:.0f}", 1 / speed);
  return speed >= 1 ? tr("real time") : tr("{:.0f}× slower", 1 / speed);
}

void speed_slider(Desk& desk) {
  auto tenths = float(-std::log10(desk.watching.playhead.speed));
  ImGui::SetNextItemWidth(px(is_narrow() ? 44 : 64));
  if (ImGui::SliderFloat("##speed", &tenths, 3, 0, "")) set_speed(desk, std::pow(10.0, -tenths));
  ui::mark("speed");
  ui::tooltip(tr("how fast the playhead moves: {}", speed_text(desk.watching.playhead.speed)), ", .");
  if (is_tight()) return ImGui::SameLine(0, px(4));
  // Beside it: on it, the knob would cover the number.
  ImGui::SameLine(0, px(4));
  ImGui::AlignTextToFramePadding();
  const float left = ImGui::GetCursorPosX();
  ImGui::TextUnformatted(speed_text(desk.watching.playhead.speed).c_str());
  ImGui::SameLine(left + ui::text_width(speed_text(1e-3)), px(8));
}

// Whether the playhead stays at the newest event.
std::string end_text(bool live, bool running) {
  if (is_narrow()) return live ? tr("● end") : is_tight() ? tr("end") : tr("to end");
  if (running) return live ? tr("● live") : tr("go live");
  return live ? tr("● at the end") : tr("to the end");
}

// Its signs are drawn: no font has two bars for certain.
bool play_button(bool playing) {
  const bool pressed =
      ui::button("    ##play", "play", true, true, playing ? tr("pause") : tr("play"), "Space");
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const ImVec2 middle{std::round((min.x + max.x) / 2), std::round((min.y + max.y) / 2)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 colour = ui::text_on(colours().accent);
  const float half = std::round(px(5)), inner = std::round(px(1.5f)), outer = std::round(px(4.5f));
  const float top = middle.y - half, bottom = middle.y + half;
  if (playing) {
    list.AddRectFilled({middle.x - outer, top}, {middle.x - inner, bottom}, colour);
    list.AddRectFilled({middle.x + inner, top}, {middle.x + outer, bottom}, colour);
  } else {
    list.AddTriangleFilled({middle.x - outer, top}, {middle.x + outer, middle.y}, {middle.x - outer, bottom},
                           colour);
  }
  return pressed;
}

// Where the playhead is: since the section's start, and which step.
std::string place(Desk& desk) {
  const SectionView* section = desk.watched_section();
  if (section == nullptr) return "";
  const Moment moment = desk.watching.moment(*section);
  // As on the axis, which begins with the first event of memory too.
  const bool has_axis = desk.watching.index().is_of(*section) && !desk.watching.index().empty();
  const int64_t first = has_axis ? desk.watching.index().first_ns() : time_range(*section).first;
  std::string text = format_duration(double(desk.watching.playhead.time_ns - first) * 1e-9);
  if (moment.step >= 0) text += fmt::format("  {} {}", desk.lesson().words.step, moment.step);
  return text;
}

// A section without times: there is nowhere to go in it.
bool stands_still(Desk& desk) {
  const SectionView* section = desk.watched_section();
  return section != nullptr && time_range(*section).length() == 0 && !desk.runs.running();
}

void buttons(Desk& desk) {
  const FontScope font(Type::kLabel);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, px(6, 3));
  section_list(desk);
  if (stands_still(desk)) return ImGui::PopStyleVar();
  ImGui::SameLine();
  const bool tight = is_tight();
  const std::string step = ui::elide(desk.lesson().words.step, px(60));
  stride_button(desk, tight ? "|◂" : "◂ " + step, "step.back", Stride::kStep, -1,
                tr("to the {} before", desk.lesson().words.step), "PageUp");
  stride_button(desk, tight ? "◂◂" : tr("◂ phase"), "phase.back", Stride::kPhase, -1,
                tr("to the phase before: forward, backward, update"), "Shift+Left");
  stride_button(desk, "◂", "event.back", Stride::kEvent, -1, tr("to the event before"), "Left");
  if (play_button(desk.watching.playhead.playing)) desk.watching.toggle_play();
  ImGui::SameLine(0, px(3));
  stride_button(desk, "▸", "event.next", Stride::kEvent, 1, tr("to the next event"), "Right");
  stride_button(desk, tight ? "▸▸" : tr("phase ▸"), "phase.next", Stride::kPhase, 1, tr("to the next phase"),
                "Shift+Right");
  stride_button(desk, tight ? "▸|" : step + " ▸", "step.next", Stride::kStep, 1,
                tr("to the next {}", desk.lesson().words.step), "PageDown");
  speed_slider(desk);
  const bool live = desk.watching.playhead.follow;
  if (ui::button(end_text(live, desk.runs.running()).c_str(), "live", live, true,
                 tr("to the newest event, and follow the run"), "End"))
    desk.watching.go_live();
  const std::string where = place(desk);
  const float end = ImGui::GetItemRectMax().x + px(12) + ui::text_width(where);
  if (!where.empty() && end < ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(where.c_str());
    ui::mark("place");
  }
  ImGui::PopStyleVar();
}

bool has_memory(const SectionView& section) {
  return section.ranks() > 0 && std::ranges::any_of(kCategories, [&](Category category) {
           return !section.memory(0, category).empty();
         });
}

}  // namespace

// The list of sections alone where nothing has a time, the buttons with a line that says why where the
// timeline is closed; one thread that nobody talks to needs one row.
float transport_height(Desk& desk, float room) {
  const float whole = std::clamp(room * 0.27f, px(room < px(520) ? 124 : 150), px(248));
  const SectionView* section = desk.watched_section();
  if (section == nullptr) return whole;
  if (stands_still(desk)) return px(40);
  if (View view = desk.view(); !desk.panel->timeline_closed(view).empty()) return px(92);
  if (section->ranks() != 1 || !section->collectives(0).empty()) return whole;
  return std::min(whole, has_memory(*section) ? px(160) : px(116));
}

void draw_transport(Desk& desk, const Rect& rect) {
  ImGui::GetWindowDrawList()->AddLine(rect.min, {rect.max.x, rect.min.y}, colours().line);
  const Area area("transport", rect, false, 6);
  buttons(desk);
  const SectionView* section = desk.watched_section();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  if (section == nullptr || size.y < px(40)) return;
  View view = desk.view();
  if (const std::string closed = desk.panel->timeline_closed(view); !closed.empty()) {
    ImGui::Dummy(px(1, 8));
    ui::paragraph(closed, colours().dim, Type::kBody);
    ui::mark("timeline.closed");
    return;
  }
  const bool compact = section->ranks() == 1 && section->collectives(0).empty();
  const bool high = size.y > (compact ? px(100) : px(150));
  Watching& watching = desk.watching;
  watching.timeline.memory_rank = high && has_memory(*section) ? 0 : -1;
  const auto wanted = watching.timeline.draw("timeline", size, desk.runs.trace(), *section, watching.index(),
                                             watching.playhead.time_ns, watching.playhead.follow);
  if (wanted) watching.seek(*wanted);
}

}  // namespace ringside::gui
