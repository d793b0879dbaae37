// The live panel's lines, and which of them are left out where the room is low.

#include "ringside/lesson/tr.h"
#include "ringside/panel/live_panel.h"
#include "ringside/widgets/items.h"

namespace ringside {

using ui::px;

void LivePanel::add(float height, int worth, const std::string& words, std::function<void()> draw) {
  pieces_.push_back({height, worth, part_, words, std::move(draw)});
}

void LivePanel::remark(const std::string& text, int worth, bool dim) {
  const ui::FontScope font(ui::Type::kLabel);
  const std::string lines = ui::broken(text, ImGui::GetContentRegionAvail().x, ui::Type::kLabel);
  add(ImGui::CalcTextSize(lines.c_str()).y + px(1), worth, text,
      [text, dim] { ui::paragraph(text, dim ? ui::colours().dim : ui::colours().text, ui::Type::kLabel); });
}

// Of those that are worth equally little the last one goes first.
void LivePanel::fit(float room) {
  float needed = 0;
  for (const Piece& piece : pieces_) needed += piece.height;
  height_ = needed;
  while (needed > room) {
    Piece* least = nullptr;
    for (Piece& piece : pieces_)
      if (!piece.left_out && piece.worth < kAlways && (least == nullptr || piece.worth <= least->worth))
        least = &piece;
    if (least == nullptr) break;
    least->left_out = true;
    needed -= least->height;
  }
  overflows_ = !pieces_.empty() && needed > room + px(2);
}

// In the tip of the part's heading, which has "…" behind it.
std::string LivePanel::left_out(const std::string& part) const {
  std::string text;
  for (const Piece& piece : pieces_)
    if (piece.left_out && piece.part == part && !piece.words.empty())
      text += (text.empty() ? tr("Left out, for want of room:") : "") + "\n" + piece.words;
  return text;
}

// ---- Lines --------------------------------------------------------------------------------

void LivePanel::begin(const char* part, const std::string& words) {
  part_ = part;
  add(ui::line_height() + px(4), kAlways, "", [this, of = part_, words] { draw_heading(of, words); });
}

void LivePanel::draw_heading(const std::string& part, const std::string& words) {
  ImGui::Dummy(px(1, 2));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, high = ui::line_height();
  const std::string picture = picture_of(*view_, part), rest = left_out(part);
  const ui::Rect row{at, {at.x + width, at.y + high}};
  if (!picture.empty() && ui::touch(std::string("live.") + part, row)) clicked_ = picture;
  if (picture.empty()) ImGui::Dummy({width, high});
  ui::tooltip(rest);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({at.x, at.y - px(2)}, {at.x + width, at.y - px(2)}, ui::colours().line, px(1));
  const float name = ui::text_width(part) + px(8);
  ui::draw_label(list, {at, {at.x + name, row.max.y}}, ui::colours().text, part);
  const bool pins = !pinned_.of.empty();
  ui::draw_label(list, {{at.x + name, at.y}, {row.max.x - (pins ? px(60) : 0), row.max.y}}, ui::colours().dim,
                 rest.empty() ? words : words + " …");
  if (pins)
    ui::draw_text(list, {row.max.x - ui::text_width(tr("pinned")), at.y}, ui::colours().dim, tr("pinned"));
}

void LivePanel::line(const Line& line) {
  state_[part_ + "." + (line.key.empty() ? line.name : line.key)] = line.value;
  add(ui::line_height() + px(1), line.worth, line.name + "  " + line.value,
      [this, of = part_, line] { draw_line(of, line); });
}

// Name at the left, value at the right, the pinned run's behind it.
void LivePanel::draw_line(const std::string& part, const Line& line) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, high = ui::line_height();
  std::string picture = picture_of(*view_, line.key);
  if (picture.empty()) picture = picture_of(*view_, part);
  const std::string mark = "live." + part + "." + (line.key.empty() ? line.name : line.key);
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
}

}  // namespace ringside
