// What frames the picture: the rail of lessons, the steps, the sentence, the scenario line.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <map>

#include "badges.h"
#include "ringside/base/error.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/terms.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

// The table of lessons does not change.
const std::string& badge(const Lesson& lesson) {
  static const std::vector<std::string> badges = [] {
    std::vector<std::string> ids;
    for (const Lesson& one : all_lessons()) ids.push_back(one.id);
    return badges_of(ids);
  }();
  return badges.at(static_cast<size_t>(&lesson - all_lessons().data()));
}

std::string standing(Desk& desk, const Lesson& lesson) {
  const LessonProgress done = desk.record.progress(lesson.id);
  std::string text = fmt::format("{} of {} right", done.right, lesson.predictions.size());
  if (const size_t redo = desk.record.to_redo(lesson.id).size(); redo > 0)
    text += fmt::format(", {} to redo", redo);
  return text;
}

// How far a lesson is: a thin bar under its badge.
void progress_bar(ImDrawList& list, const Rect& rect, double part) {
  list.AddRectFilled(rect.min, rect.max, colours().line);
  const float end = rect.min.x + rect.width() * static_cast<float>(std::clamp(part, 0.0, 1.0));
  list.AddRectFilled(rect.min, {end, rect.max.y}, colours().accent);
}

void rail_badge(Desk& desk, const Lesson& lesson, float width) {
  const bool here = desk.lesson == &lesson;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = width - px(12);
  ImGui::PushID(lesson.id.c_str());
  if (ImGui::InvisibleButton("lesson", {side, side}) && !here) desk.wishes.scenario = lesson.id;
  ui::mark("lesson=" + lesson.id);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect box{at, {at.x + side, at.y + side}};
  list.AddRectFilled(box.min, box.max, here || ImGui::IsItemHovered() ? colours().raised : colours().panel,
                     px(3));
  ui::draw_text_in(list, box, here ? colours().text : colours().dim, badge(lesson), Type::kQuestion);
  const LessonProgress done = desk.record.progress(lesson.id);
  const double all = std::max<double>(1, static_cast<double>(lesson.predictions.size()));
  progress_bar(list, {{box.min.x + px(4), box.max.y - px(4)}, {box.max.x - px(4), box.max.y - px(2)}},
               static_cast<double>(done.right) / all);
  ui::tooltip(lesson.title + "\n" + standing(desk, lesson));
  ImGui::PopID();
}

size_t all_to_redo(Desk& desk) {
  size_t count = 0;
  for (const Lesson& lesson : all_lessons()) count += desk.record.to_redo(lesson.id).size();
  return count;
}

void redo_list(Desk& desk) {
  for (const Lesson& lesson : all_lessons()) {
    for (const Redo& redo : desk.record.to_redo(lesson.id)) {
      const std::string& id = redo.prediction;
      const auto spec = std::find_if(lesson.predictions.begin(), lesson.predictions.end(),
                                     [&](const PredictionSpec& one) { return one.id == id; });
      if (spec == lesson.predictions.end()) continue;
      ImGui::PushID(id.c_str());
      if (ui::button("again", "redo." + id)) {
        if (desk.lesson != &lesson) desk.choose_lesson(lesson.id);
        desk.ask(static_cast<size_t>(spec - lesson.predictions.begin()));
        if (!spec->again.empty()) desk.again(spec->again.front());
        desk.menu = false;
      }
      ImGui::SameLine();
      ui::paragraph(spec->question, colours().dim, Type::kLabel);
      ImGui::PopID();
    }
  }
}

}  // namespace

void draw_rail(Desk& desk, const Rect& rect) {
  const Area area("rail", rect, true, 6);
  if (ImGui::Button("≡", {rect.width() - px(12), px(32)})) desk.menu = !desk.menu;
  ui::mark("menu");
  ui::tooltip("lessons by name, and what is to redo (M)");
  std::string track;
  for (const Lesson& lesson : all_lessons()) {
    if (!track.empty() && track != lesson.track) ImGui::Separator();
    track = lesson.track;
    rail_badge(desk, lesson, rect.width());
  }
  if (const size_t redo = all_to_redo(desk); redo > 0) {
    const FontScope font(Type::kLabel);
    ImGui::SetCursorPosY(rect.height() - px(44));
    ImGui::TextUnformatted(fmt::format(" {}\nredo", redo).c_str());
    ui::mark("redo");
    ui::tooltip(fmt::format("{} guesses to try again (M)", redo));
  }
}

void draw_menu(Desk& desk, const Rect& rect) {
  const Area area("lessons", rect, true, 16);
  // In its own list: what the areas before it drew lies above the room's.
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(rect.min, rect.max);
  list.AddRectFilled(rect.min, rect.max, colours().panel);
  list.AddLine({rect.max.x - 1, rect.min.y}, {rect.max.x - 1, rect.max.y}, colours().line);
  list.PopClipRect();
  // At the top: the list below may be longer than the window.
  if (ui::button("close", "menu.close", false, true, "Escape")) desk.menu = false;
  std::string track;
  for (const Lesson& lesson : all_lessons()) {
    if (track != lesson.track) {
      const FontScope font(Type::kLabel);
      ImGui::TextUnformatted(lesson.track.c_str());
      track = lesson.track;
    }
    ImGui::PushID(lesson.id.c_str());
    if (ui::button(lesson.id.c_str(), "open=" + lesson.id, desk.lesson == &lesson)) {
      desk.wishes.scenario = lesson.id;
      desk.menu = false;
    }
    ui::paragraph(lesson.title, Type::kBody);
    ui::paragraph(standing(desk, lesson), colours().dim, Type::kLabel);
    ImGui::PopID();
  }
  ImGui::Dummy(px(1, 8));
  if (all_to_redo(desk) > 0) {
    const FontScope font(Type::kBold);
    ImGui::TextUnformatted(fmt::format("{} to redo", all_to_redo(desk)).c_str());
  }
  redo_list(desk);
}

// ---- Title -----------------------------------------------------------------------

namespace {

void step_tabs(Desk& desk, const Rect& rect, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float each = width / kStepCount;
  for (int i = 0; i < kStepCount; ++i) {
    const Rect tab{{rect.min.x + each * static_cast<float>(i), rect.min.y},
                   {rect.min.x + each * static_cast<float>(i + 1), rect.max.y}};
    ImGui::SetCursorScreenPos(tab.min);
    ImGui::PushID(i);
    const bool on = static_cast<int>(desk.step) == i;
    if (ImGui::InvisibleButton("step", {tab.width(), tab.height()})) desk.go_to(static_cast<Step>(i));
    const bool hovered = ImGui::IsItemHovered();
    ui::mark(std::string("step=") + kStepNames[i]);
    if (hovered && !on) list.AddRectFilled(tab.min, tab.max, colours().raised);
    const Rect label{{tab.min.x + px(6), tab.min.y}, {tab.max.x - px(6), tab.max.y}};
    ui::draw_text_in(list, label, on ? colours().text : colours().dim,
                     fmt::format("{} {}", i + 1, kStepNames[i]), on ? Type::kBold : Type::kBody);
    if (on)
      list.AddRectFilled({tab.min.x + px(6), tab.max.y - px(3)}, {tab.max.x - px(6), tab.max.y},
                         colours().accent);
    ImGui::PopID();
  }
}

}  // namespace

void draw_title(Desk& desk, const Rect& rect) {
  const Area area("title", rect, false, 0);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float name_width = px(16) + ui::text_width(Type::kBold, desk.lesson->id);
  ui::draw_text(list, {rect.min.x + px(8), rect.min.y + (rect.height() - ui::line_height(Type::kBold)) / 2},
                colours().text, desk.lesson->id, Type::kBold);
  ImGui::SetCursorScreenPos(rect.min);
  ImGui::Dummy({name_width, rect.height()});
  ui::tooltip(desk.lesson->title);

  const float button = px(36), room_for_run = std::max(px(150), rect.width() * 0.2f);
  const float tabs = std::min(px(560), rect.width() - name_width - room_for_run - 2 * button - px(16));
  step_tabs(desk, {{rect.min.x + name_width, rect.min.y}, {rect.min.x + name_width + tabs, rect.max.y}},
            tabs);

  const float left = rect.min.x + name_width + tabs + px(16), right = rect.max.x - 2 * button - px(8);
  const std::string status = desk.status();
  const FontScope font(Type::kLabel);
  ui::draw_text_in(list, {{left, rect.min.y}, {right, rect.max.y - (desk.runs.running() ? px(6) : 0)}},
                   colours().dim, status, Type::kLabel, false);
  ImGui::SetCursorScreenPos({left, rect.min.y});
  ImGui::Dummy({std::max(1.0f, right - left), rect.height()});
  ui::mark("status");
  ui::tooltip(status);
  if (const Progress done = desk.runs.progress(); desk.runs.running() && done.total > 0) {
    progress_bar(list, {{left, rect.max.y - px(8)}, {right, rect.max.y - px(5)}},
                 static_cast<double>(done.done) / static_cast<double>(done.total));
  }
  ImGui::SetCursorScreenPos({rect.max.x - 2 * button, rect.min.y + px(8)});
  const bool runs = desk.runs.busy();
  if (ImGui::Button(runs ? "■" : "↻", {button - px(6), px(28)})) {
    if (runs)
      desk.runs.cancel();
    else
      desk.run(*desk.config);
  }
  ui::mark(runs ? "stop" : "run");
  ui::tooltip(runs ? "stop the run at its next step (X)" : "run it again (R)");
  ImGui::SameLine(0, px(4));
  if (ImGui::Button("?", {button - px(6), px(28)})) desk.help = true;
  ui::mark("help");
  ui::tooltip("every key (F1)");
}

// ---- Caption -----------------------------------------------------------------------

void draw_caption(Desk& desk, const Rect& rect) {
  const Area area("caption", rect, false, 8);
  const std::string next = desk.next_label();
  const float width = ui::text_width(Type::kBody, next) + px(24);
  const std::string text = caption(desk);
  // Twenty points where it fits in a line, else sixteen in two.
  const float room = rect.width() - width - px(32);
  const bool large = ui::text_width(Type::kQuestion, text) <= room;
  const Type type = large ? Type::kQuestion : Type::kBody;
  ImGui::PushTextWrapPos(px(8) + room);
  {
    const FontScope font(type);
    const float height = large ? ui::line_height(type) : 2 * ui::line_height(type);
    const bool two = !large && ui::text_width(type, text) > room;
    ImGui::SetCursorPosY((rect.height() - (two ? height : ui::line_height(type))) / 2);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::TextUnformatted(text.c_str());
    ui::mark("caption");
    ui::explain(text, at, px(8) + room - (at.x - rect.min.x), type);
  }
  ImGui::PopTextWrapPos();
  ImGui::SetCursorScreenPos({rect.max.x - width - px(8), rect.min.y + px(12)});
  if (ui::button(next.c_str(), "next", true, true, "Enter")) desk.next();
}

// ---- Scenario ------------------------------------------------------------------------

void draw_scenario(Desk& desk, const Rect& rect) {
  const Area area("scenario", rect, false, 4);
  static std::string line;  // what the learner types; the room has one line
  static std::string shown;
  const std::string now = desk.drafted->scenario();
  if (now != shown) line = shown = now;
  const FontScope font(Type::kMono);
  const float buttons = px(230);
  ImGui::SetNextItemWidth(std::max(px(80), rect.width() - buttons - px(16)));
  if (std::exchange(desk.focus_scenario, false)) ui::focus_next_item();
  const bool entered = ImGui::InputText(
      "##scenario", &line, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ui::mark("scenario");
  if (entered) desk.wishes.scenario = line;
  if (!ImGui::IsItemActive() && !ImGui::IsItemFocused() && line != shown) line = shown;
  ui::tooltip("the whole state of the room; Enter runs it (L). In a terminal: ./run " + now);
  const FontScope label(Type::kLabel);
  ImGui::SameLine();
  if (ui::button("copy", "scenario.copy", false, true, "Ctrl+C")) desk.to_copy = now;
  ImGui::SameLine();
  if (ui::button("paste", "scenario.paste", false, true, "Ctrl+V")) {
    if (const char* text = ImGui::GetClipboardText())
      desk.wishes.scenario = std::string(text).substr(0, 2000);
  }
  ImGui::SameLine();
  if (ui::button(desk.pinned ? "unpin" : "pin", "pin", false,
                 !desk.runs.trace().sections().empty() || desk.pinned,
                 desk.pinned ? "lets go of " + desk.pinned->scenario
                             : "keeps this run; the next is drawn over it (P)"))
    desk.pin();
}

// ---- Messages --------------------------------------------------------------------------

void draw_messages(Desk& desk, const Rect& rect) {
  float bottom = rect.max.y - px(8);
  for (size_t i = desk.messages.size(); i-- > 0;) {
    const Desk::Message& message = desk.messages[i];
    const float button = ui::text_width(Type::kBody, "put away") + px(16);
    const float width = rect.width() - px(32), wrap = width - button - px(32);
    ImFont* font = ui::font(Type::kBody);
    const float height = font->CalcTextSizeA(font->FontSize, FLT_MAX, wrap, message.text.c_str()).y + px(20);
    const Rect box{{rect.min.x + px(16), bottom - height}, {rect.min.x + px(16) + width, bottom}};
    if (box.min.y < rect.min.y - px(200)) return;
    const Area area(("message" + std::to_string(i)).c_str(), box, false, 8);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(box.min, box.max, colours().panel, px(3));
    list.AddRect(box.min, box.max, colours().line, px(3));
    // Inside the padding, half of which a child window clips.
    list.AddRectFilled({box.min.x + px(4), box.min.y + px(4)}, {box.min.x + px(8), box.max.y - px(4)},
                       message.alarm ? colours().alarm : colours().accent);
    ImGui::SetCursorPosX(px(16));
    ImGui::PushTextWrapPos(px(16) + wrap);
    ImGui::TextUnformatted(message.text.c_str());
    ImGui::PopTextWrapPos();
    ui::mark("message");
    ImGui::SetCursorScreenPos({box.max.x - button - px(8), box.min.y + px(4)});
    if (ui::button("put away", "message.close")) {
      desk.messages.erase(desk.messages.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    bottom = box.min.y - px(4);
  }
}

}  // namespace ringside::gui
