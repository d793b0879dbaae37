#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "figure_lines.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using figure::Stroke;
using ui::colours;
using ui::px;
using ui::Rect;
using ui::Type;

// The range of the data, outwards to the ticks that will be written beside it.
figure::Range fitted(const figure::Range& found, const figure::Unit& unit, float length, float gap,
                     const figure::Extent& extent_of, bool log) {
  if (log) return figure::round_out(found, unit, 5, log);
  figure::Range range = figure::usable(found);
  for (int i = 0; i < 2; ++i) {  // a longer range may have wider steps
    const std::vector<figure::Tick> ticks = figure::ticks_of(range, unit, length, gap, extent_of);
    if (ticks.size() < 2) return figure::round_out(found, unit, 2);
    const double step = ticks[1].value - ticks[0].value;
    range = figure::usable(
        {std::floor(range.low / step + 1e-6) * step, std::ceil(range.high / step - 1e-6) * step});
  }
  return range;
}

// The ends that the figure has set, where they rise.
figure::Range with_ends(figure::Range range, const figure::Axis& axis, bool log) {
  const figure::Range set{axis.least.value_or(range.low), axis.most.value_or(range.high)};
  return set.low < set.high && (!log || set.low > 0) ? figure::usable(set, log) : range;
}

}  // namespace

void LinesDrawing::draw(FigureFrame& frame) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  frame_ = &frame;
  value_ = &std::get<figure::Lines>(frame.value);
  list_ = ImGui::GetWindowDrawList();
  all_ = {origin, {origin.x + frame.size.x, origin.y + frame.size.y}};
  take(frame);
  ImGui::PushID(frame.id.c_str());
  ImGui::PushClipRect(all_.min, all_.max, true);
  top_rows();
  legend();
  lay_out();
  act();
  axes();
  lines();
  if (inside_) readout();
  ImGui::PopClipRect();
  ImGui::PopID();
  frame.drawn.hovered = inside_;
  frame.state["lines"] = std::to_string(series_.size());
  const auto tell = [&](const char* name, double value) { frame.state[name] = fmt::format("{}", value); };
  tell("x_from", area_.x.low), tell("x_to", area_.x.high);
  tell("y_from", area_.y.low), tell("y_to", area_.y.high);
  if (!hidden_.empty()) frame.state["hidden"] = fmt::format("{}", fmt::join(hidden_, ", "));
  if (!inside_) return;
  frame.state["hovered"] =
      figure::format_value(mouse_x_, x_unit_, figure::round_step(area_.x.span(), 100, x_unit_));
}

// Which lines there are, and what the axes count; an axis is logarithmic as the figure says, until a person
// says otherwise.
void LinesDrawing::take(const FigureFrame& frame) {
  if (axis_x_.log != value_->x.log) log_x_ = value_->x.log;
  if (axis_y_.log != value_->y.log) log_y_ = value_->y.log;
  axis_x_ = value_->x, axis_y_ = value_->y;
  if (std::exchange(version_, frame.version) != frame.version) {
    x_unit_ = figure::unit_of(axis_x_, figure::x_is_whole(*value_));
    y_unit_ = figure::unit_of(axis_y_, figure::y_is_whole(*value_));
  }
  series_.clear();
  for (const figure::Line& line : value_->lines)
    series_.push_back({line.name, colour_of(line.ink), line.stroke, line.points});
  const auto* pinned = beside<figure::Lines>(frame);
  for (size_t i = 0; pinned != nullptr && i < pinned->lines.size(); ++i) {
    const figure::Line& line = pinned->lines[i];  // what was computed or guessed is said once
    if (line.stroke == Stroke::kFormula || line.stroke == Stroke::kGuess) continue;
    series_.push_back({tr("{}, pinned", line.name), colour_of(line.ink), Stroke::kPinned, line.points});
  }
}

// A small button at a place; `on` shows as pressed in.
bool LinesDrawing::toggle(std::string_view label, const std::string& name, const Rect& rect, bool on,
                          std::string_view hint) const {
  const bool clicked = ui::touch(name, rect);
  const ImU32 fill = on ? colours().accent : ui::item_lit() ? colours().line : colours().raised;
  list_->AddRectFilled(rect.min, rect.max, fill, px(3));
  ui::draw_text_in(*list_, rect, on ? ui::text_on(fill) : colours().text, label);
  ui::tooltip(hint);
  return clicked;
}

// The name of what goes up, and the buttons of the axes.
void LinesDrawing::top_rows() {
  top_ = all_.min.y;
  const float height = ui::line_height() + px(4);
  if (all_.height() < px(90)) return;
  float right = all_.max.x;
  const auto axis_button = [&](const char* label, const char* suffix, bool& log,
                               std::optional<figure::Range>& view, const char* hint) {
    const float width = ui::text_width(label) + px(12);
    if (right - width < all_.min.x) return;
    const Rect rect{{right - width, top_}, {right, top_ + height}};
    right -= width + px(4);
    if (!toggle(label, frame_->id + suffix, rect, log, hint)) return;
    log = !log;
    view.reset();
  };
  axis_button(axis_x_.log ? "log y" : "log", ".log", log_y_, view_y_, "logarithmic axis (L)");
  if (axis_x_.log) axis_button("log x", ".logx", log_x_, view_x_, "logarithmic axis (Shift+L)");
  ui::draw_label(*list_, {{all_.min.x, top_}, {right, top_ + height}}, colours().dim, axis_y_.name);
  top_ += height + px(4);
}

void LinesDrawing::legend() {
  const float height = ui::line_height() + px(4), sample = px(20);
  const float lowest = all_.min.y + all_.height() / 3;
  if (series_.empty() || all_.height() < px(120)) return;
  float x = all_.min.x, right = x;
  for (size_t i = 0; i < series_.size(); ++i) {
    const float room = std::min(all_.width() - sample - px(4), px(220));
    const float width = sample + px(4) + std::min(room, ui::text_width(series_[i].name) + px(1));
    if (x > all_.min.x && x + width > all_.max.x) x = all_.min.x, top_ += height;
    if (top_ + height > lowest) {  // no room for the others: how many they are
      top_ -= height;
      const std::string rest = "+" + std::to_string(series_.size() - i);
      const float left = all_.max.x - ui::text_width(rest);
      if (i > 0 && left >= right - px(12)) ui::draw_text(*list_, {left, top_ + px(2)}, colours().dim, rest);
      break;
    }
    legend_entry(i, {{x, top_}, {x + width, top_ + height}});
    right = x += width + px(16);
  }
  top_ += height + px(4);
}

void LinesDrawing::legend_entry(size_t i, const Rect& rect) {
  const DrawnLine& s = series_[i];
  if (ui::touch(frame_->id + ".legend." + s.name, rect) && hidden_.erase(s.name) == 0) hidden_.insert(s.name);
  const bool off = is_hidden(s), lit = ui::item_lit();
  ui::tooltip(off ? s.name + ": click to show it" : s.name + ": click to hide it");
  const float text_x = rect.min.x + px(24);
  if (!off) draw_sample(*list_, {rect.min, {rect.min.x + px(20), rect.max.y}}, s);
  ui::draw_label(*list_, {{text_x, rect.min.y}, rect.max}, off ? colours().dim : colours().text, s.name);
  if (!off && !lit) return;  // struck through, or underlined
  const float y = off ? rect.middle().y : rect.max.y - px(2);
  list_->AddLine({text_x, y}, {rect.max.x, y}, colours().dim, px(1));
}

void LinesDrawing::lay_out() {
  std::optional<figure::Range> x, y;
  for (const DrawnLine& s : series_) {
    if (s.points.empty() || is_hidden(s)) continue;
    const size_t positive = log_x_ ? lower_bound(s.points, std::numeric_limits<double>::min()) : 0;
    widen(x, s.points[std::min(s.points.size() - 1, positive)].x);
    widen(x, s.points.back().x);
    if (const auto values = range_of(s.points)) widen(y, values->low), widen(y, values->high);
  }
  for (const figure::Mark& mark : value_->marks)
    if (mark.at > 0 || !(mark.on_x ? log_x_ : log_y_)) widen(mark.on_x ? x : y, mark.at);
  if (!log_y_ && y && y->low > 0 && y->low < y->high / 2) y->low = 0;  // lengths are compared from zero
  const bool tall = all_.height() >= px(70);
  Rect plot{{all_.min.x, top_ + px(2)}, all_.max};
  if (tall) plot.max.y -= axis_height(axis_x_);
  constexpr figure::Range kNothing{HUGE_VAL, -HUGE_VAL};
  const auto one_line = [](std::string_view) { return ui::line_height(); };
  area_.y = view_y_
                ? *view_y_
                : with_ends(fitted(y.value_or(kNothing), y_unit_, plot.height(), px(10), one_line, log_y_),
                            axis_y_, log_y_);
  y_ticks_ = ticks_up(plot, area_.y, y_unit_, log_y_);
  if (tall && all_.width() > px(100)) {
    plot.min.x += std::min(widest_of(y_ticks_) + px(8), all_.width() / 2);
    plot.max.x -= px(4);  // half a dot
  }
  const auto wide = [](std::string_view text) { return ui::text_width(text); };
  area_.x = view_x_ ? *view_x_
                    : with_ends(fitted(x.value_or(kNothing), x_unit_, plot.width(), px(16), wide, log_x_),
                                axis_x_, log_x_);
  area_.rect = plot, area_.log_x = log_x_, area_.log_y = log_y_;
}

void LinesDrawing::axes() {
  const Rect& plot = area_.rect;
  list_->AddRectFilled(plot.min, plot.max, colours().panel);
  bands();
  draw_ticks_up(*list_, plot, y_ticks_, plot.min.x - all_.min.x, true);
  figure::Axis axis = axis_x_;
  axis.log = log_x_;
  AxisAcross across{axis, area_.x, plot.min.x, plot.max.x, x_unit_.whole};
  if (all_.max.y > plot.max.y + px(4)) draw_axis(*list_, plot, across);
}

void LinesDrawing::lines() {
  const Rect& plot = area_.rect;
  const float dot = px(4);  // at the edge a point is still whole
  ImGui::PushClipRect({plot.min.x - dot, plot.min.y - dot}, {plot.max.x + dot, plot.max.y + dot}, true);
  for (const Stroke stroke :
       {Stroke::kPinned, Stroke::kFormula, Stroke::kMeasured, Stroke::kGuess, Stroke::kDots}) {
    for (const DrawnLine& s : series_)
      if (s.stroke == stroke && !is_hidden(s)) draw_series(*list_, area_, s);
  }
  PlacedWords words(plot, colours().panel);
  name_bands(words);
  marks(words);
  name_ends(words);
  if (frame_->cursor_x) draw_cursor(*list_, plot, area_.column(*frame_->cursor_x));
  ImGui::PopClipRect();
}

// Whether another series than `own` has a point near the ends or the middle of that rectangle.
bool LinesDrawing::crossed(size_t own, float left, float right, float top, float bottom) const {
  for (size_t i = 0; i < series_.size(); ++i) {
    if (i == own || is_hidden(series_[i])) continue;
    for (const float x : {left, (left + right) / 2, right}) {
      const auto p = nearest_point(series_[i].points, area_.x_at(x));
      const double row = p ? area_.row(p->y) : NAN;
      if (row >= top && row <= bottom) return true;
    }
  }
  return false;
}

// Another line of the same kind has its colour: the legend alone does not tell them apart.
bool LinesDrawing::shares_colour(size_t own) const {
  const DrawnLine& mine = series_[own];
  for (size_t i = 0; i < series_.size(); ++i)
    if (i != own && series_[i].colour == mine.colour && series_[i].stroke == mine.stroke) return true;
  return false;
}

// A tick at the end of each formula's line, and its name beside it where no other name stands; names of lines
// that share a colour as well.
void LinesDrawing::name_ends(PlacedWords& words) {
  const Rect& plot = area_.rect;
  const float height = ui::line_height();
  for (size_t i = 0; i < series_.size(); ++i) {
    const DrawnLine& s = series_[i];
    const bool is_formula = s.stroke == Stroke::kFormula;
    if (is_hidden(s) || (!is_formula && (s.stroke != Stroke::kMeasured || !shares_colour(i)))) continue;
    const auto end = nearest_point(s.points, area_.x.high);
    if (!end) continue;
    const ImVec2 at(std::min(float(area_.column(end->x)), plot.max.x - px(1)), float(area_.row(end->y)));
    if (!plot.contains(at)) continue;
    if (is_formula) list_->AddLine({at.x, at.y - px(4)}, {at.x, at.y + px(4)}, s.colour, px(2));
    const std::string name = ui::elide(s.name, std::min(at.x - plot.min.x, plot.width() / 2), Type::kLabel);
    const float width = ui::text_width(name), above = at.y - height - px(6), below = at.y + px(6);
    const bool under = above < plot.min.y || (crossed(i, at.x - width, at.x, above, above + height) &&
                                              !crossed(i, at.x - width, at.x, below, below + height) &&
                                              below + height <= plot.max.y);
    const float left = at.x - width;
    std::vector<ImVec2> corners{{left, under ? below : above}, {left, under ? above : below}};
    if (!is_formula) corners.insert(corners.begin(), {at.x + px(8), at.y - height / 2});
    words.put_at_one(*list_, corners, name, colours().text);
  }
}

std::unique_ptr<FigureDrawing> lines_drawing() { return std::make_unique<LinesDrawing>(); }

}  // namespace ringside
