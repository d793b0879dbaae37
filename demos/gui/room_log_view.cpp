#include "room_log_view.h"

#include <algorithm>
#include <cmath>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/items.h"

namespace ringside::gui {
namespace {

using ui::colours;
using ui::px;
using ui::Rect;
using ui::Type;

constexpr size_t kMostWords = 4000;    // lines that are kept as they were drawn
constexpr size_t kMostRedacted = 800;  // bytes of a line
constexpr float kWheelLines = 3, kWheelLetters = 8, kBarWidth = 12;
constexpr int kChosenLines = 5;  // of the chosen line, below the list

// So many letters behind the first ones; the last is "…" where there are more.
std::string cut(std::string_view text, int64_t from, int64_t most) {
  for (; from > 0 && !text.empty(); --from) text.remove_prefix(first_letter(text).bytes);
  std::string_view rest = text;
  size_t before_last = 0;
  for (int64_t i = 0; i < most && !rest.empty(); ++i) {
    before_last = text.size() - rest.size();
    rest.remove_prefix(first_letter(rest).bytes);
  }
  if (rest.empty()) return std::string(text);
  return std::string(text.substr(0, before_last)) + "…";
}

float line_step() { return ui::line_height(Type::kMono) + px(3); }

}  // namespace

void LogView::choose(int64_t line) {
  chosen_ = line;
  centre_ = true;
}

const std::string& LogView::words(int64_t line) {
  if (words_.size() > kMostWords) words_.clear();
  const auto [place, is_new] = words_.try_emplace(line);
  if (!is_new) return place->second;
  const std::string& text = lines_->line(line);
  place->second = hide_names_ ? redacted(std::string_view(text).substr(0, kMostRedacted)) : text;
  ui::look().fonts.need(place->second);
  return place->second;
}

void LogView::draw_lines(const Rect& rect, const Shown& shown) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(rect.min, rect.max, true);
  const float step = line_step();
  const float gutter =
      ui::text_width(Type::kMono, format_count(std::max<int64_t>(lines_->count(), 100))) + px(14);
  const auto fitting = int64_t((rect.width() - gutter) / ui::text_width(Type::kMono, "n"));
  int64_t widest = 0;
  for (int64_t i = first(); i < std::min(first() + page_ + 1, lines_->count()); ++i) {
    const float y = rect.min.y + float(double(i) - first_) * step;
    const bool marked = shown.marked.contains(i + 1), chosen = chosen_ == i + 1;
    if (marked || chosen)
      list.AddRectFilled({rect.min.x, y}, {rect.max.x, y + step},
                         chosen ? colours().raised : colours().panel);
    if (marked) list.AddRectFilled({rect.min.x, y}, {rect.min.x + px(3), y + step}, colours().accent);
    if (chosen) list.AddRect({rect.min.x, y}, {rect.max.x, y + step}, colours().accent);
    const std::string number = format_count(i + 1);
    ui::draw_text(list, {rect.min.x + gutter - px(8) - ui::text_width(Type::kMono, number), y + px(1)},
                  colours().dim, number, Type::kMono);
    const std::string& text = words(i + 1);
    widest = std::max(widest, int64_t(columns(text)));
    ui::draw_text(list, {rect.min.x + gutter, y + px(1)},
                  marked ? colours().text : ui::fade(colours().text, 0.2f), cut(text, left_, fitting),
                  Type::kMono);
    if (marked || chosen)
      ui::mark("log.line=" + std::to_string(i + 1), {rect.min.x, y}, {rect.max.x, y + step});
  }
  left_ = std::clamp(left_, int64_t{0}, std::max(int64_t{0}, widest - fitting));
  list.PopClipRect();
}

// Where in the log the view stands, with a tick for each line of evidence.
void LogView::draw_bar(const Rect& rect, const Shown& shown) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto all = double(std::max<int64_t>(lines_->count(), 1));
  const auto y_of = [&](double line) { return rect.min.y + rect.height() * float(line / all); };
  list.AddRectFilled(rect.min, rect.max, colours().panel);
  const float height = std::max(px(18), rect.height() * float(std::min(1.0, double(page_) / all)));
  const float top = std::min(y_of(first_), rect.max.y - height);
  list.AddRectFilled({rect.min.x + px(2), top}, {rect.max.x - px(2), top + height},
                     drags_ ? colours().dim : colours().line, px(3));
  for (const int64_t line : shown.marked) {
    const float y = y_of(double(line));
    list.AddRectFilled({rect.min.x, y - px(1)}, {rect.max.x, y + px(1)}, colours().accent);
  }
  ui::mark("log.bar", rect.min, rect.max);
}

// All of the chosen line, as far as there is room.
void LogView::draw_chosen(float height) {
  ImGui::BeginChild("log.chosen", {0, height}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  const std::string& text = words(chosen_);
  ui::paragraph(tr("Line {}", format_count(chosen_)), colours().dim, Type::kLabel);
  {
    const ui::FontScope font(Type::kMono);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::EndChild();
  ui::mark("log.chosen");
}

void LogView::draw(const std::string& id, ImVec2 size, LogLines& lines, const Shown& shown) {
  if (lines_ != &lines || hide_names_ != shown.hide_names) words_.clear();
  lines_ = &lines;
  hide_names_ = shown.hide_names;
  const float step = line_step();
  const float below =
      chosen_ > 0 ? ui::line_height() + kChosenLines * ui::line_height(Type::kMono) + px(24) : 0;
  {
    const ui::Canvas canvas(id, {size.x, size.y - below});
    const Rect rect = canvas.rect(), text{rect.min, {rect.max.x - px(kBarWidth), rect.max.y}};
    page_ = std::max<int64_t>(1, int64_t(text.height() / step));
    const ImGuiIO& io = ImGui::GetIO();
    if (canvas.hovered() && io.MouseWheel != 0) {
      if (io.KeyShift)
        left_ -= std::lround(io.MouseWheel * kWheelLetters);
      else
        first_ -= io.MouseWheel * kWheelLines;
      ui::keep_wheel();
    }
    const float in_bar = (canvas.mouse().y - rect.min.y) / std::max(1.0f, rect.height());
    if (canvas.clicked()) {
      drags_ = canvas.mouse().x > text.max.x;
      const auto at = int64_t(first_ + double((canvas.mouse().y - rect.min.y) / step));
      if (!drags_ && at < lines.count()) chosen_ = at + 1;
    }
    drags_ = drags_ && canvas.active();
    const auto count = double(lines.count()), page = double(page_);
    if (drags_) first_ = double(in_bar) * count - page / 2;
    if (centre_) first_ = double(chosen_ - 1) - std::floor(page / 3);
    centre_ = centre_ && lines.count() == 0;
    first_ = std::clamp(first_, 0.0, std::max(0.0, count - page));
    canvas.list().AddRectFilled(rect.min, rect.max, colours().background);
    draw_lines(text, shown);
    draw_bar({{text.max.x, rect.min.y}, rect.max}, shown);
  }
  if (chosen_ > 0 && chosen_ <= lines.count()) draw_chosen(below);
}

}  // namespace ringside::gui
