#include "markdown_page.h"

#include <algorithm>
#include <cmath>

#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
float Page::words(const std::vector<TextRun>& runs, ImVec2 at, float width, Type type, ImU32 colour) {
  const Flow lines = flow(pieces_of(runs, document_.links, type), width, type);
  if (first_line_ == 0 && !lines.lines.empty()) first_line_ = lines.lines.front().height;
  paint(lines, at, width, type, colour, Align::kLeft);
  return lines.height;
}

bool Page::visible(float y, float height) const {
  return y + height >= list_.GetClipRectMin().y && y <= list_.GetClipRectMax().y;
}

void Page::paint(const Flow& flow, ImVec2 at, float width, Type type, ImU32 colour, Align align) {
  for (const Line& line : flow.lines) {
    const float slack = width - line.width;
    const float shift = align == Align::kRight ? slack : align == Align::kCentre ? std::floor(slack / 2) : 0;
    paint(line, {at.x + shift, at.y}, type, colour);
    at.y += line.height;
  }
}

// What belongs to one run is drawn, and can be clicked, in one stroke.
void Page::paint(const Line& line, ImVec2 at, Type type, ImU32 colour) {
  for (size_t i = 0; i < line.pieces.size();) {
    const Piece& first = line.pieces[i];
    size_t end = i + 1;
    while (first.label.empty() && end < line.pieces.size() && line.pieces[end].run == first.run) ++end;
    const Piece& last = line.pieces[end - 1];
    const Rect rect{{at.x + first.x, at.y}, {at.x + last.x + last.width, at.y + line.height}};
    if (!first.label.empty())
      run_button(first, rect);
    else
      stretch(first, last, rect, type, colour);
    i = end;
  }
}

void Page::stretch(const Piece& first, const Piece& last, const Rect& rect, Type type, ImU32 colour) {
  const TextRun& run = *first.run;
  bool lit = false;
  if (run.link >= 0) lit = link(run, rect);
  if (!visible(rect.min.y, rect.height())) return;
  const float middle = (rect.min.y + rect.max.y - line_height(type)) / 2;
  const float y = middle + std::round(font(type)->Ascent - font(first.type)->Ascent);  // one base line
  const std::string_view text(first.text.data(),
                              size_t(last.text.data() + last.text.size() - first.text.data()));
  if (run.code)
    list_.AddRectFilled({rect.min.x - px(2), y - px(1)},
                        {rect.max.x + px(2), y + line_height(first.type) + px(1)}, colours().raised, px(3));
  const ImU32 ink = run.link >= 0 ? colours().accent : colour;
  draw_text(list_, {rect.min.x, y}, ink, text, first.type);
  if (run.link < 0 && !run.code) look().terms.explain(text, {rect.min.x, y}, rect.width() + 1, first.type);
  if (run.link < 0) return;
  const float under = std::floor(y + line_height(first.type)) - px(1);
  list_.AddLine({rect.min.x, under}, {rect.max.x, under}, ink, lit ? px(2) : px(1));
}

bool Page::item(const Rect& rect) {
  ImGui::SetCursorScreenPos(rect.min);
  ImGui::PushID(items_++);
  const bool pressed =
      ImGui::InvisibleButton("link", {std::max(rect.width(), 1.0f), std::max(rect.height(), 1.0f)});
  ImGui::PopID();
  return pressed;
}

bool Page::link(const TextRun& run, const Rect& rect) {
  const std::string& target = document_.links[size_t(run.link)];
  if (item(rect)) copy(target);
  const bool lit = item_lit();
  if (run.link != last_link_) mark(id_ + ".link." + std::to_string(links_++));
  last_link_ = run.link;
  tooltip(target + "\na click copies it");
  return lit;
}

void Page::run_button(const Piece& piece, const Rect& line) {
  const float half = line_height(Type::kBody) / 2 + px(4), middle = std::floor((line.min.y + line.max.y) / 2);
  const Rect rect{{line.min.x, middle - half}, {line.max.x, middle + half}};
  const std::string scenario = document_.links[size_t(piece.run->link)].substr(kRunLink.size());
  if (item(rect)) clicked.run = scenario;
  const bool lit = item_lit();
  mark(id_ + ".run." + std::to_string(runs_++));
  tooltip(scenario);
  list_.AddRectFilled(rect.min, rect.max, lit ? colours().line : colours().raised, px(3));
  draw_text_in(list_, {{rect.min.x + px(8), rect.min.y}, {rect.max.x - px(7), rect.max.y}}, colours().text,
               piece.label, Type::kBody, false);
}

void Page::copy(const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
  clicked.copied = text;
}

}  // namespace ringside::ui
