// The rail of lessons at the left, and what it unfolds to: lessons by name, what is to redo.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

bool is_here(const Desk& desk, const FrontMatter& lesson) { return desk.lesson().id == lesson.id; }

// How many questions it has is known of the open lesson and of those that were answered.
LessonProgress progress_in(const Desk& desk, const FrontMatter& lesson) {
  LessonProgress progress = desk.record.progress(lesson.id);
  if (is_here(desk, lesson)) progress.questions = int(desk.lesson().predictions.size());
  return progress;
}

std::string standing(const Desk& desk, const FrontMatter& lesson) {
  if (desk.builds().building() == lesson.id) return desk.building();
  if (desk.builds().awaits(lesson.id)) return tr("to be built next");
  if (desk.unbuilt().contains(lesson.id)) return tr("not built yet: opening it builds it");
  const LessonProgress done = progress_in(desk, lesson);
  const size_t redo = desk.record.to_redo(lesson.id).size();
  std::string text = done.questions > 0 ? tr("{} of {} right", done.right, done.questions)
                     : done.asked > 0   ? tr("{} right", done.right)
                                        : tr("no guess yet");
  if (redo > 0) text += tr(", {} to redo", redo);
  return text;
}

constexpr float kBetween = 2;  // points, between two of them

void rail_lesson(Desk& desk, const FrontMatter& lesson, ImVec2 size) {
  const bool here = is_here(desk, lesson);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect box{at, {at.x + size.x, at.y + size.y}};
  if (ui::touch("lesson=" + lesson.id, box)) {
    desk.show_lesson();
    if (!here)
      desk.wishes.scenario = desk.last_line(lesson.id);
    else if (desk.nothing_to_show())
      desk.run(desk.config());
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(box.min, box.max, here || ImGui::IsItemHovered() ? colours().raised : colours().panel,
                     px(3));
  if (desk.unbuilt().contains(lesson.id))
    list.AddRect(box.min, box.max, colours().line, px(3));  // an empty frame: nothing lies behind it yet
  ui::draw_text_in(list, {box.min, {box.max.x, box.max.y - px(4)}}, here ? colours().text : colours().dim,
                   lesson.short_name);
  const LessonProgress done = progress_in(desk, lesson);
  const double part = desk.builds().building() == lesson.id
                          ? desk.builds().part()
                          : double(done.right) / std::max(1, done.questions);
  progress_bar(list, {{box.min.x + px(4), box.max.y - px(4)}, {box.max.x - px(4), box.max.y - px(2)}}, part);
  if (ImGui::IsItemHovered()) ui::tooltip(lesson.title + "\n" + standing(desk, lesson));
}

void rail_track(const std::string& track, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(width, ui::line_height() + px(1));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine(at, {at.x + size.x, at.y}, colours().line);
  ui::draw_text_in(list, {at, {at.x + size.x, at.y + size.y}}, ui::fade(colours().dim, 0.25f), track);
  ImGui::Dummy(size);
}

size_t all_to_redo(Desk& desk) {
  size_t count = 0;
  for (const FrontMatter& lesson : lesson_catalogue()) count += desk.record.to_redo(lesson.id).size();
  return count;
}

// The same once more: what was to be said aloud, or the question, where it is asked elsewhere.
void redo(Desk& desk, const FrontMatter& lesson, const std::string& prediction) {
  if (!is_here(desk, lesson)) desk.return_to(lesson.id);
  desk.menu = false;
  desk.show_lesson();
  if (is_said(prediction)) {
    desk.go_to(Step::kSay);
    return desk.saying.again(prediction);
  }
  const auto& all = desk.lesson().predictions;
  const auto spec = std::ranges::find(all, prediction, &PredictionSpec::id);
  if (spec == all.end()) return;
  desk.guessing.forget(*spec);
  desk.ask(size_t(spec - all.begin()));
  if (!spec->again.empty()) desk.again(spec->again.front());
}

void redo_list(Desk& desk) {
  for (const FrontMatter& lesson : lesson_catalogue()) {
    for (const Redo& one : desk.record.to_redo(lesson.id)) {
      const std::string& id = one.prediction;
      ImGui::PushID(id.c_str());
      if (ui::button("again", is_said(id) ? "redo." + lesson.id + "." + id : "redo." + id))
        redo(desk, lesson, id);
      ImGui::SameLine();
      const std::string text = id == kSaidPoints ? tr("Say it aloud: {}", lesson.title) : one.question;
      ui::remark(text.empty() ? id : text);
      ImGui::PopID();
    }
  }
}

constexpr float kLeastLesson = 18;  // below it a name is hard to hit

// As high as lets all of them be seen.
float lesson_height(float room) {
  const auto& all = lesson_catalogue();
  size_t tracks = 0;
  for (size_t i = 0; i < all.size(); ++i) tracks += i == 0 || all[i].track != all[i - 1].track;
  const float others = px(28 + 4) + float(tracks) * (ui::line_height() + px(1 + kBetween));
  const float each = (room - others) / float(std::max<size_t>(1, all.size())) - px(kBetween);
  return std::floor(std::clamp(each, px(kLeastLesson), px(28)));
}

// The list itself; true: some are below its lower edge.
bool lesson_list(Desk& desk, const Rect& rect, ImVec2 size) {
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, px(3));  // the names keep their width
  const Area area("rail", rect, true, 2);
  ImGui::PopStyleVar();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, px(8, kBetween));
  if (ImGui::Button("≡", {size.x, px(28)})) desk.menu = !desk.menu;
  ui::mark("menu");
  ui::tooltip(tr("lessons by name, and what is to redo"), "M");
  std::string track;
  for (const FrontMatter& lesson : lesson_catalogue()) {
    if (track != lesson.track) rail_track(lesson.track, size.x);
    track = lesson.track;
    rail_lesson(desk, lesson, size);
  }
  ImGui::PopStyleVar();
  return ImGui::GetScrollY() < ImGui::GetScrollMaxY();
}

// By track. Where the window is low they scroll, and a line below says that more follow.
void draw_lessons(Desk& desk, const Rect& rect) {
  const ImVec2 size(rect.width() - px(4), lesson_height(rect.height()));
  const bool scrolls = size.y <= px(kLeastLesson);
  const float end = rect.max.y - (scrolls ? ui::line_height() + px(2) : 0);
  if (!lesson_list(desk, {rect.min, {rect.max.x, end}}, size) || !scrolls) return;
  ui::draw_text_in(*ImGui::GetWindowDrawList(), {{rect.min.x, end}, rect.max}, colours().text, tr("more ▾"));
}

}  // namespace

void progress_bar(ImDrawList& list, const Rect& rect, double part) {
  list.AddRectFilled(rect.min, rect.max, colours().line);
  const float end = rect.min.x + rect.width() * float(std::clamp(part, 0.0, 1.0));
  list.AddRectFilled(rect.min, {end, rect.max.y}, colours().accent);
}

void draw_rail(Desk& desk, const Rect& rect) {
  const size_t redo = all_to_redo(desk);
  const float cut = rect.max.y - (redo > 0 ? ui::line_height() + px(12) : 0);
  const float on_call = cut - ui::line_height() - px(16);
  const float prepare = on_call - px(8) - (desk.prepare.due > 0 ? 2 : 1) * ui::line_height() - px(4);
  draw_lessons(desk, {rect.min, {rect.max.x, prepare}});
  {
    const Area area("rail.pages", {{rect.min.x, prepare}, {rect.max.x, cut}}, false, 0);
    prepare_button(desk, {{rect.min.x + px(2), prepare + px(2)}, {rect.max.x - px(2), on_call - px(2)}});
    on_call_button(desk, {{rect.min.x + px(2), on_call + px(2)}, {rect.max.x - px(2), cut - px(4)}});
  }
  if (redo == 0) return;
  const Area area("redo", {{rect.min.x, cut}, rect.max}, false, 0);
  if (ui::touch("redo", {{rect.min.x, cut}, rect.max})) desk.menu = true;
  ui::tooltip(redo == 1 ? tr("1 guess to try again") : tr("{} guesses to try again", redo), "M");
  ui::draw_text_in(*ImGui::GetWindowDrawList(), {{rect.min.x, cut}, rect.max}, colours().text,
                   tr("{} to redo", redo));
}

void draw_menu(Desk& desk, const Rect& rect) {
  desk.look.covered = false;  // what lies under it is
  const Area area("lessons", rect, true, 16);
  // In its own list: what the areas before it drew lies above the room's.
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(rect.min, rect.max);
  list.AddRectFilled(rect.min, rect.max, colours().panel);
  list.AddLine({rect.max.x - 1, rect.min.y}, {rect.max.x - 1, rect.max.y}, colours().line);
  list.PopClipRect();
  // At the top: the list below may be longer than the window.
  if (ui::button("close", "menu.close", false, true, tr("back to the lesson"), "Escape")) desk.menu = false;
  if (!desk.unbuilt().empty() && !desk.builds().running()) {
    ImGui::SameLine();
    if (ui::button("build all", "menu.build", false, true,
                   tr("{} lessons are not built yet", desk.unbuilt().size())))
      desk.build_all();
  }
  if (!desk.building().empty()) ui::paragraph(desk.building(), colours().text, Type::kLabel);
  std::string track;
  for (const FrontMatter& lesson : lesson_catalogue()) {
    if (track != lesson.track) {
      const FontScope font(Type::kLabel);
      ImGui::TextUnformatted(lesson.track.c_str());
      track = lesson.track;
    }
    ImGui::PushID(lesson.id.c_str());
    if (ui::button(lesson.id.c_str(), "open=" + lesson.id, is_here(desk, lesson))) {
      if (!is_here(desk, lesson)) desk.wishes.scenario = desk.last_line(lesson.id);
      desk.menu = false;
      desk.show_lesson();
    }
    ui::paragraph(lesson.title, Type::kBody);
    ui::remark(standing(desk, lesson));
    ImGui::PopID();
  }
  ImGui::Dummy(px(1, 8));
  if (all_to_redo(desk) > 0) {
    const FontScope font(Type::kBold);
    ImGui::TextUnformatted(fmt::format("{} to redo", all_to_redo(desk)).c_str());
  }
  redo_list(desk);
}

}  // namespace ringside::gui
