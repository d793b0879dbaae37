#include "opening_text.h"

#include "ringside/lesson/lesson_text.h"
#include "ringside/widgets/items.h"

namespace ringside {

using ui::px;

OpeningText::OpeningText(const Lesson& lesson)
    : opening_(lesson.opening), text_(parts_of(lesson.text).front().body) {}

void OpeningText::draw(View& view, const std::string& why, ImVec2 size) const {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, px(16, 8));
  ImGui::BeginChild("opening", size, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  if (opening_) {
    for (const std::string& line : opening_(view.config)) ui::paragraph(line);
  } else {
    const ui::Markdown::Clicked clicked = text_.draw(ImGui::GetContentRegionAvail().x, "opening");
    if (!clicked.run.empty()) view.wishes.scenario = clicked.run;
    if (!clicked.copied.empty()) view.wishes.copy = clicked.copied;
  }
  ImGui::Dummy(px(1, 4));
  if (!why.empty()) ui::remark(why);
  ImGui::EndChild();
}

}  // namespace ringside
