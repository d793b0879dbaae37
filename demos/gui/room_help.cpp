// F1: every key, and the words of the lesson.
#include <algorithm>

#include "ringside/lesson/tr.h"
#include "room_keys.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

void help_group(const KeyGroup& group) {
  {
    const ui::FontScope font(Type::kBold);
    ImGui::TextUnformatted(group.name);
  }
  const ui::FontScope font(Type::kLabel);
  for (const Binding& binding : group.keys) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(ui::colours().dim), "%s",
                       ui::to_string(binding.chord).c_str());
    ImGui::SameLine(ui::px(110));
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(binding.does);
    ImGui::PopTextWrapPos();
  }
  ImGui::Dummy(ui::px(1, 4));
}

// The lesson's terms, which stand in its pictures as letters and codes.
void help_words(const Lesson& lesson) {
  if (lesson.terms.empty()) return;
  {
    const ui::FontScope font(Type::kBold);
    ImGui::TextUnformatted(tr("Words of this lesson").c_str());
  }
  const ui::FontScope font(Type::kLabel);
  for (const Term& term : lesson.terms) {
    const std::string word = term.chinese.empty() ? term.word : term.word + "  " + term.chinese;
    const float left = ui::px(240), room = ImGui::GetContentRegionAvail().x - left;
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(ui::colours().dim), "%s",
                       ui::elide(word, left - ui::px(8)).c_str());
    ImGui::SameLine(left);
    ImGui::TextUnformatted(ui::broken(term.sentence, room, Type::kLabel).c_str());
  }
}

// What lies under the page steps back.
void draw_shade(ImVec2 display) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  ImGui::SetNextWindowBgAlpha(0.7f);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui::colours().background);
  ImGui::Begin("shade", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings);
  ImGui::End();
  ImGui::PopStyleColor();
}

// The room's keys rest while the page is open.
void scroll_by_keys() {
  using ui::Key;
  const float line = 3 * ImGui::GetTextLineHeightWithSpacing(), page = ImGui::GetWindowHeight() - line;
  float to = ImGui::GetScrollY();
  if (ui::pressed({Key::kDown}, true)) to += line;
  if (ui::pressed({Key::kUp}, true)) to -= line;
  if (ui::pressed({Key::kPageDown}, true)) to += page;
  if (ui::pressed({Key::kPageUp}, true)) to -= page;
  if (ui::pressed({Key::kHome})) to = 0;
  if (ui::pressed({Key::kEnd})) to = ImGui::GetScrollMaxY();
  if (to != ImGui::GetScrollY()) ImGui::SetScrollY(std::clamp(to, 0.0f, ImGui::GetScrollMaxY()));
}

}  // namespace

void draw_help(Desk& desk) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  desk.look.covered = false;  // what lies under it is
  draw_shade(display);
  const ImVec2 size(std::min(ui::px(860), display.x - ui::px(16)),
                    std::min(ui::px(780), display.y - ui::px(16)));
  ImGui::SetNextWindowPos({(display.x - size.x) / 2, (display.y - size.y) / 2});
  ImGui::SetNextWindowSize(size);
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui::colours().panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ui::px(16, 16));
  ImGui::Begin("keys", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings);
  if (ui::button("close", "help.close", true, true, "", "Escape")) desk.help = false;
  if (ImGui::BeginTable("groups", size.x < ui::px(640) ? 1 : 2)) {
    ImGui::TableNextColumn();
    constexpr size_t kRoom = 5, kPrepare = 6, kOnCall = 7;
    const bool page = desk.on_call.open || desk.prepare.open;
    if (page) help_group(key_groups()[desk.on_call.open ? kOnCall : kPrepare]);
    for (const size_t nth : {1, 2, 0})
      if (!page) help_group(key_groups()[nth]);
    ImGui::TableNextColumn();
    for (const size_t nth : {3, 4})
      if (!page) help_group(key_groups()[nth]);
    help_group(key_groups()[kRoom]);
    ImGui::EndTable();
  }
  help_words(desk.lesson());
  space(1);
  ui::mark("help.last");
  scroll_by_keys();
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace ringside::gui
