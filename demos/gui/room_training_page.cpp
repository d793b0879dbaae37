// The page of a training that is followed: six pictures, each with its values to copy.
#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/csv.h"
#include "ringside/lesson/tr.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

constexpr float kHead = 38, kLeastHeight = 190, kCopy = 72;

// A table has a button of its own.
void csv_button(Desk& desk, const FollowedTraining::Picture& picture, float width) {
  ImGui::SetCursorPos({std::max(px(8), width - px(kCopy + 8)), px(8)});
  if (ui::button(tr("copy CSV").c_str(), "csv=" + std::string(picture.id), false, true,
                 tr("copies the picture's values as a table")))
    desk.to_copy = figure::to_csv(picture.value);
}

void draw_picture(Desk& desk, FollowedTraining::Picture& picture, const Rect& rect) {
  const Area area(("training." + std::string(picture.id)).c_str(), rect, false, 8);
  const std::string mistake = figure::why_unfit(picture.value);
  {
    const FontScope font(Type::kLabel);
    const auto* lines = std::get_if<figure::Lines>(&picture.value);
    if (lines == nullptr || lines->y.name != picture.title) ImGui::TextUnformatted(picture.title.c_str());
    if (mistake.empty() && (lines != nullptr || std::holds_alternative<figure::Matrix>(picture.value)))
      csv_button(desk, picture, rect.width());
  }
  if (!mistake.empty()) return ui::paragraph(mistake, colours().alarm, Type::kLabel);
  figure::each_text(picture.value, [&](const std::string& text) { desk.look.fonts.need(text); });
  picture.view.draw("training." + std::string(picture.id) + ".figure", ImGui::GetContentRegionAvail(),
                    picture.value, {.version = desk.training->version()});
}

void draw_head(Desk& desk, const Rect& rect, const std::string& sentence) {
  ImGui::GetWindowDrawList()->AddRectFilled(rect.min, rect.max, colours().panel);
  const Area area("training.head", rect, false, 8);
  {
    const FontScope font(Type::kLabel);
    const std::string remark = desk.training->remark();
    const std::string title =
        remark.empty() ? desk.training->typed() : desk.training->typed() + "   " + remark;
    desk.look.fonts.need(title);
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colours().dim), "%s",
                       ui::elide(title, rect.width() - px(16)).c_str());
  }
  ImGui::TextUnformatted(sentence.c_str());
}

}  // namespace

bool shows_training(const Desk& desk) {
  return desk.training_open && !desk.prepare.open && !desk.on_call.open;
}

void toggle_training(Desk& desk) {
  if (!desk.training) return;
  const bool opens = !shows_training(desk);
  desk.show_lesson();
  desk.training_open = opens;
}

// Three columns and two rows; two columns, which scroll, where there is less room.
void draw_training(Desk& desk, const Rect& rect) {
  const std::string words = desk.training->sentence();
  desk.look.fonts.need(words);
  const std::string sentence = ui::broken(words, rect.width() - px(16), Type::kBody);
  const float cut = rect.min.y + px(kHead) + ImGui::CalcTextSize(sentence.c_str()).y;
  draw_head(desk, {rect.min, {rect.max.x, cut}}, sentence);
  const Rect below{{rect.min.x, cut}, rect.max};
  const Area area("training", below, true, 0);
  const size_t columns = below.width() > px(780) ? 3 : 2, rows = 6 / columns;
  const float width = ImGui::GetContentRegionAvail().x / float(columns);
  const float height = std::max(below.height() / float(rows), px(kLeastHeight));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (size_t i = 0; i < 6; ++i) {
    const float x = at.x + width * float(i % columns);
    const float y = at.y + height * float(i / columns);
    draw_picture(desk, desk.training->pictures()[i], {{x, y}, {x + width, y + height}});
  }
}

}  // namespace ringside::gui
