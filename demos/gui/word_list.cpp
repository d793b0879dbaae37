#include "word_list.h"

#include <algorithm>
#include <string>

#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::gui {
namespace {

using ui::colours;
using ui::Key;
using ui::px;
using ui::Rect;
using ui::Type;

constexpr float kNumber = 28, kMark = 26, kArrow = 26;  // points: the row's number, its mark, one arrow

bool is_chosen(AnswerKind kind, const Words& rows, size_t row, const Words& answer) {
  if (kind == AnswerKind::kLine) return !answer.empty() && answer[0] == std::to_string(row + 1);
  return std::ranges::find(answer, rows[row]) != answer.end();
}

float text_left(AnswerKind kind) {
  return px(kNumber) + (kind == AnswerKind::kChoice || kind == AnswerKind::kChoices ? px(kMark) : px(4));
}

float text_width_of(const WordList::Shown& shown) {
  const float arrows = shown.kind == AnswerKind::kOrder ? 2 * px(kArrow) : 0;
  return std::max(px(40), shown.width - text_left(shown.kind) - arrows - px(8));
}

// Options break at words; lines do not.
float row_height(const WordList::Shown& shown, const std::string& text) {
  if (shown.kind == AnswerKind::kLine) return ui::line_height(Type::kMono) + px(4);
  const ui::FontScope font(Type::kBody);
  const float size = ImGui::CalcTextSize(text.c_str(), nullptr, false, text_width_of(shown)).y;
  return std::max(px(30), size + px(10));
}

float row_gap(AnswerKind kind) {
  return px(kind == AnswerKind::kLine ? 0 : kind == AnswerKind::kOrder ? 6 : 4);
}

void draw_mark(ImDrawList& list, AnswerKind kind, const Rect& rect, bool chosen) {
  const ImVec2 middle(rect.min.x + px(10), (rect.min.y + rect.max.y) / 2);
  const ImU32 colour = chosen ? colours().accent : colours().dim;
  if (kind == AnswerKind::kChoice) {
    list.AddCircle(middle, px(7), colour, 20, px(1.5f));
    if (chosen) list.AddCircleFilled(middle, px(4), colour, 16);
    return;
  }
  const Rect box{{middle.x - px(7), middle.y - px(7)}, {middle.x + px(7), middle.y + px(7)}};
  list.AddRect(box.min, box.max, colour, px(2), 0, px(1.5f));
  if (chosen) ui::draw_text_in(list, box, colour, "✓");
}

// The place of an arrow of a row; above: the left one.
Rect arrow_of(const Rect& row, bool up) {
  const float right = row.max.x - (up ? px(kArrow) : 0);
  return {{right - px(kArrow), row.min.y}, {right, row.max.y}};
}

void keep_visible(const Rect& row) {
  const float top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowHeight();
  if (row.min.y < top) ImGui::SetScrollY(ImGui::GetScrollY() - (top - row.min.y));
  if (row.max.y > bottom) ImGui::SetScrollY(ImGui::GetScrollY() + (row.max.y - bottom));
}

}  // namespace

float WordList::height(const Shown& shown) {
  float height = 0;
  for (const std::string& row : shown.rows) height += row_height(shown, row) + row_gap(shown.kind);
  return height;
}

std::vector<Rect> WordList::lay_out(const Shown& shown, ImVec2 at) const {
  std::vector<Rect> rows;
  for (const std::string& row : shown.rows) {
    const float height = row_height(shown, row);
    rows.push_back({at, {at.x + shown.width, at.y + height}});
    at.y += height + row_gap(shown.kind);
  }
  return rows;
}

void WordList::choose(const Shown& shown, size_t row, Words& answer) {
  at_ = row;
  if (shown.kind == AnswerKind::kChoice) answer = {shown.rows[row]};
  if (shown.kind == AnswerKind::kLine) answer = {std::to_string(row + 1)};
}

// Those ticked, in the order of the options.
void WordList::tick(const Shown& shown, size_t row, Words& answer) {
  const bool on = !is_chosen(shown.kind, shown.rows, row, answer);
  Words all;
  for (size_t i = 0; i < shown.rows.size(); ++i)
    if (i == row ? on : is_chosen(shown.kind, shown.rows, i, answer)) all.push_back(shown.rows[i]);
  answer = std::move(all);
  at_ = row;
}

void WordList::move(size_t from, size_t to, Words& answer) {
  if (from >= answer.size() || to >= answer.size()) return;
  const std::string word = answer[from];
  answer.erase(answer.begin() + std::ptrdiff_t(from));
  answer.insert(answer.begin() + std::ptrdiff_t(to), word);
  at_ = to;
}

void WordList::take_keys(const Shown& shown, Words& answer) {
  const size_t last = shown.rows.size() - 1, before = at_;
  const bool one = shown.kind == AnswerKind::kChoice || shown.kind == AnswerKind::kLine;
  const bool none_yet = one && answer.empty();  // the first key chooses where one stands
  const auto go = [&](size_t row) {
    choose(shown, row, answer);
    moved_ = true;
  };
  if (shown.kind == AnswerKind::kOrder) {
    if (ui::pressed({Key::kUp, false, true}, true) && at_ > 0) move(at_, at_ - 1, answer);
    if (ui::pressed({Key::kDown, false, true}, true)) move(at_, at_ + 1, answer);
    moved_ = moved_ || at_ != before;
  }
  if (ui::pressed({Key::kUp}, true)) go(none_yet || at_ == 0 ? at_ : at_ - 1);
  if (ui::pressed({Key::kDown}, true)) go(none_yet ? at_ : std::min(at_ + 1, last));
  if (ui::pressed({Key::kHome})) go(0);
  if (ui::pressed({Key::kEnd})) go(last);
  const bool ticks = shown.kind == AnswerKind::kChoices;
  for (size_t digit = 0; digit < 9 && digit <= last; ++digit) {
    if (!ui::pressed({static_cast<Key>(size_t(Key::k1) + digit)})) continue;
    go(digit);
    if (ticks) tick(shown, digit, answer);
  }
  if (!ui::pressed({Key::kSpace})) return;
  if (ticks)
    tick(shown, at_, answer);
  else
    go(at_);
}

void WordList::take_mouse(const Shown& shown, const ui::Canvas& canvas, const std::vector<Rect>& rows,
                          Words& answer) {
  const ImVec2 mouse = canvas.mouse();
  if (!ImGui::IsMouseDown(0)) dragged_ = -1;
  const bool orders = shown.kind == AnswerKind::kOrder;
  for (size_t row = 0; row < rows.size() && canvas.clicked(); ++row) {
    if (!rows[row].contains(mouse)) continue;
    if (orders && arrow_of(rows[row], true).contains(mouse)) return move(row, row == 0 ? 0 : row - 1, answer);
    if (orders && arrow_of(rows[row], false).contains(mouse))
      return move(row, std::min(row + 1, rows.size() - 1), answer);
    if (shown.kind == AnswerKind::kChoices) return tick(shown, row, answer);
    choose(shown, row, answer);
    if (orders) dragged_ = int(row);
  }
  if (dragged_ < 0 || size_t(dragged_) >= rows.size() || !ImGui::IsMousePosValid()) return;
  // A row changes places with its neighbour once the mouse is at the neighbour's middle.
  const auto row = size_t(dragged_);
  const auto middle = [&](size_t i) { return (rows[i].min.y + rows[i].max.y) / 2; };
  size_t to = row;
  while (to > 0 && mouse.y <= middle(to - 1)) --to;
  while (to + 1 < rows.size() && mouse.y >= middle(to + 1)) ++to;
  if (to == row) return;
  move(row, to, answer);
  dragged_ = int(to);
}

void WordList::draw_row(const Shown& shown, const ui::Canvas& canvas, const Rect& rect, size_t row,
                        const Words& answer) const {
  ImDrawList& list = canvas.list();
  const bool orders = shown.kind == AnswerKind::kOrder, is_line = shown.kind == AnswerKind::kLine;
  const bool chosen = !orders && is_chosen(shown.kind, shown.rows, row, answer);
  const bool hovered = canvas.hovered() && rect.contains(canvas.mouse());
  if (!is_line || chosen || hovered)
    list.AddRectFilled(rect.min, rect.max, hovered || chosen ? colours().line : colours().raised, px(4));
  if (chosen || (orders && !(row == at_ && shown.keys)))
    ui::dashed_rect(list, rect, orders ? colours().dim : colours().accent, 1.5f);
  if (row == at_ && shown.keys && !chosen)
    list.AddRect(rect.min, rect.max, colours().text, px(4), 0, px(1.5f));
  const Rect number{rect.min, {rect.min.x + px(kNumber), rect.max.y}};
  if (is_line || row < 9) ui::draw_text_in(list, number, colours().dim, std::to_string(row + 1));
  const Rect rest{{number.max.x, rect.min.y}, rect.max};
  if (!is_line && !orders) draw_mark(list, shown.kind, rest, chosen);
  const ui::FontScope font(is_line ? Type::kMono : Type::kBody);
  const float left = rect.min.x + text_left(shown.kind), width = text_width_of(shown);
  const std::string& text = shown.rows[row];
  if (is_line) {
    ui::draw_text_in(list, {{left, rect.min.y}, {left + width, rect.max.y}}, colours().text, text,
                     Type::kMono, false);
    return;
  }
  const float high = ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y;
  list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {left, (rect.min.y + rect.max.y - high) / 2},
               colours().text, text.data(), text.data() + text.size(), width);
  for (const bool up : {true, false}) {
    if (!orders || (up ? row == 0 : row + 1 == shown.rows.size())) continue;
    const Rect arrow = arrow_of(rect, up);
    ui::draw_text_in(list, arrow, arrow.contains(canvas.mouse()) ? colours().text : colours().dim,
                     up ? "▲" : "▼");
    ui::mark("word." + std::to_string(row + 1) + (up ? ".up" : ".down"), arrow.min, arrow.max);
  }
}

bool WordList::draw(const Shown& given, Words& answer) {
  if (given.rows.empty()) return false;
  const Words before = answer;
  at_ = std::min(at_, given.rows.size() - 1);
  Shown shown = given;
  std::vector<Rect> rows;
  {
    const ui::Canvas canvas("words", {shown.width, height(shown)});
    if (shown.keys) take_keys(shown, answer);
    take_mouse(shown, canvas, lay_out(shown, canvas.rect().min), answer);
    if (shown.kind == AnswerKind::kOrder) shown.rows = answer;
    rows = lay_out(shown, canvas.rect().min);
    const ImVec2 from = canvas.list().GetClipRectMin(), to = canvas.list().GetClipRectMax();
    for (size_t row = 0; row < rows.size(); ++row) {
      if (rows[row].max.y <= from.y || rows[row].min.y >= to.y) continue;
      draw_row(shown, canvas, rows[row], row, answer);
      ui::mark("word." + std::to_string(row + 1), rows[row].min,
               {rows[row].max.x, std::min(rows[row].max.y, to.y)});
    }
  }
  if (std::exchange(moved_, false)) keep_visible(rows[at_]);
  return answer != before;
}

}  // namespace ringside::gui
