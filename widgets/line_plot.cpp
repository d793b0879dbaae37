#include "ringside/widgets/line_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention.h"
#include "line_plot_frame.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

Rect rect_at(ImVec2 at, ImVec2 size) { return {at, {at.x + size.x, at.y + size.y}}; }

// The range of the data, outwards to the ticks that will be written beside it.
Range fitted(const Range& found, const Unit& unit, float length, float gap, const Extent& extent_of,
             bool log) {
  if (log) return round_out(found, unit, 5, log);
  Range range = usable(found);
  for (int i = 0; i < 2; ++i) {  // a longer range may have wider steps
    const std::vector<Tick> ticks = ticks_of(range, unit, length, gap, extent_of);
    if (ticks.size() < 2) return round_out(found, unit, 2);
    const double step = ticks[1].value - ticks[0].value;
    range = usable({std::floor(range.low / step + 1e-6) * step, std::ceil(range.high / step - 1e-6) * step});
  }
  return range;
}

// The ends that the caller has set, where they rise.
Range with_ends(Range range, const LinePlot::Ends& ends, bool log) {
  const Range set{ends.least.value_or(range.low), ends.most.value_or(range.high)};
  return set.low < set.high && (!log || set.low > 0) ? usable(set, log) : range;
}

void widen(Range& range, double value) {
  if (!std::isfinite(value)) return;
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

// A small button at a place; `on` shows as pressed in.
bool toggle(std::string_view label, std::string_view name, const Rect& rect, bool on, std::string_view hint) {
  ImGui::SetCursorScreenPos(rect.min);
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool clicked = ImGui::InvisibleButton("toggle", {rect.width(), rect.height()});
  ImGui::PopID();
  const bool lit = item_lit();
  const ImU32 fill = on ? colours().accent : lit ? colours().line : colours().raised;
  ImGui::GetWindowDrawList()->AddRectFilled(rect.min, rect.max, fill, px(3));
  draw_text_in(*ImGui::GetWindowDrawList(), rect, on ? text_on(fill) : colours().text, label);
  mark(name);
  tooltip(hint);
  return clicked;
}

}  // namespace

LinePlot::Drawn LinePlot::draw(std::string_view id, ImVec2 size, std::span<const Series> series,
                               const Options& options) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  if (size.x < px(16) || size.y < px(16)) {
    ImGui::Dummy({std::max(size.x, 0.0f), std::max(size.y, 0.0f)});
    return {};
  }
  Frame f{std::string(id), rect_at(origin, size), series, options, ImGui::GetWindowDrawList()};
  ImGui::PushID(f.id.c_str());
  ImGui::PushClipRect(f.all.min, f.all.max, true);
  top_rows(f);
  legend(f);
  lay_out(f);
  act(f);
  axes(f);
  lines(f);
  if (f.drawn.hovered) readout(f);
  ImGui::PopClipRect();
  ImGui::PopID();
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(size);
  return f.drawn;
}

// The name of what goes up, and the buttons of the axes.
void LinePlot::top_rows(Frame& f) {
  f.top = f.all.min.y;
  const Options& o = f.options;
  const float height = line_height(Type::kLabel) + px(4);
  if ((!o.can_log_x && !o.can_log_y && o.y_name.empty()) || f.all.height() < px(90)) return;
  float right = f.all.max.x;
  const auto axis_button = [&](const char* label, const char* suffix, bool& log, std::optional<Range>& view,
                               const char* hint) {
    const float width = text_width(Type::kLabel, label) + px(12);
    if (right - width < f.all.min.x) return;
    const Rect rect{{right - width, f.top}, {right, f.top + height}};
    right -= width + px(4);
    if (!toggle(label, f.id + suffix, rect, log, hint)) return;
    log = !log;
    view.reset();
  };
  if (o.can_log_y) axis_button(o.can_log_x ? "log y" : "log", ".log", log_y, view_y_, "logarithmic axis (L)");
  if (o.can_log_x) axis_button("log x", ".logx", log_x, view_x_, "logarithmic axis (Shift+L)");
  draw_text_in(*f.list, {{f.all.min.x, f.top}, {right, f.top + height}}, colours().dim, o.y_name,
               Type::kLabel, false);
  f.top += height + px(4);
}

void LinePlot::legend(Frame& f) {
  const float height = line_height(Type::kLabel) + px(4), sample = px(20);
  const float lowest = f.all.min.y + f.all.height() / 3;
  if (f.series.empty() || f.all.height() < px(120)) return;
  float x = f.all.min.x, right = x;
  for (size_t i = 0; i < f.series.size(); ++i) {
    const float room = std::min(f.all.width() - sample - px(4), px(220));
    const float width = sample + px(4) + std::min(room, text_width(Type::kLabel, f.series[i].name) + px(1));
    if (x > f.all.min.x && x + width > f.all.max.x) x = f.all.min.x, f.top += height;
    if (f.top + height > lowest) {  // no room for the others: how many they are
      f.top -= height;
      const std::string rest = "+" + std::to_string(f.series.size() - i);
      const float left = f.all.max.x - text_width(Type::kLabel, rest);
      if (i > 0 && left >= right - px(12)) draw_text(*f.list, {left, f.top + px(2)}, colours().dim, rest);
      break;
    }
    legend_entry(f, i, {{x, f.top}, {x + width, f.top + height}});
    right = x += width + px(16);
  }
  f.top += height + px(4);
}

void LinePlot::legend_entry(Frame& f, size_t i, const Rect& rect) {
  const Series& s = f.series[i];
  ImGui::SetCursorScreenPos(rect.min);
  ImGui::PushID(static_cast<int>(i));
  if (ImGui::InvisibleButton("entry", {rect.width(), rect.height()}) && hidden.erase(s.name) == 0)
    hidden.insert(s.name);
  ImGui::PopID();
  const bool off = hidden.contains(s.name), lit = item_lit();
  mark(f.id + ".legend." + s.name);
  tooltip(off ? s.name + ": click to show it" : s.name + ": click to hide it");
  const float text_x = rect.min.x + px(24);
  if (!off) draw_sample(*f.list, {rect.min, {rect.min.x + px(20), rect.max.y}}, s);
  draw_text_in(*f.list, {{text_x, rect.min.y}, rect.max}, off ? colours().dim : colours().text, s.name,
               Type::kLabel, false);
  if (!off && !lit) return;  // struck through, or underlined
  const float y = off ? (rect.min.y + rect.max.y) / 2 : rect.max.y - px(2);
  f.list->AddLine({text_x, y}, {rect.max.x, y}, colours().dim, px(1));
}

void LinePlot::lay_out(Frame& f) {
  Range x{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}, y = x;
  for (size_t i = 0; i < f.series.size(); ++i) {
    const Points points = f.series[i].points;
    if (points.empty() || hidden.contains(f.series[i].name)) continue;
    const size_t positive = log_x ? lower_bound(points, std::numeric_limits<double>::min()) : 0;
    widen(x, points[std::min(points.size() - 1, positive)].x);
    widen(x, points.back().x);
    if (const auto values = range_of(points)) widen(y, values->low), widen(y, values->high);
  }
  for (const Mark& mark : f.options.marks) {
    if (mark.at > 0 || !(mark.on_x ? log_x : log_y)) widen(mark.on_x ? x : y, mark.at);
  }
  if (!log_y && y.low > 0 && y.low < y.high / 2) y.low = 0;  // lengths are compared from zero
  const float label = line_height(Type::kLabel);
  const bool tall = f.all.height() >= px(70), named = tall && !f.options.x_name.empty();
  Rect& plot = f.area.rect;
  plot = {{f.all.min.x, f.top + px(2)}, f.all.max};
  if (tall) plot.max.y -= label + px(4) + (named ? label + px(2) : 0);
  const auto one_line = [&](std::string_view) { return label; };
  y_ = view_y_ ? *view_y_
               : with_ends(fitted(y, f.options.y_unit, plot.height(), px(10), one_line, log_y),
                           f.options.y_ends, log_y);
  f.y_ticks = ticks_of(y_, f.options.y_unit, plot.height(), px(10), one_line, log_y);
  float widest = 0;
  for (const Tick& tick : f.y_ticks) widest = std::max(widest, text_width(Type::kLabel, tick.label));
  if (tall && f.all.width() > px(100)) {
    plot.min.x += std::min(widest + px(8), f.all.width() / 2);
    plot.max.x -= px(4);  // half a dot
  }
  const auto wide = [](std::string_view text) { return text_width(Type::kLabel, text); };
  x_ = view_x_ ? *view_x_
               : with_ends(fitted(x, f.options.x_unit, plot.width(), px(12), wide, log_x), f.options.x_ends,
                           log_x);
  f.x_ticks = ticks_of(x_, f.options.x_unit, plot.width(), px(12), wide, log_x);
  f.area = {plot, x_, y_, log_x, log_y};
}

void LinePlot::axes(Frame& f) {
  const Rect& plot = f.area.rect;
  const ImU32 grid = fade(colours().line, 0.5f), text = colours().dim;
  f.list->AddRectFilled(plot.min, plot.max, colours().panel);
  bands(f);
  const float gutter = plot.min.x - f.all.min.x;
  for (const Tick& tick : f.y_ticks) {
    const float y = std::floor(plot.max.y - tick.at) - (tick.at <= 0.5f ? 1 : 0);
    f.list->AddLine({plot.min.x, y}, {plot.max.x, y}, tick.label.empty() ? fade(grid, 0.5f) : grid);
    const float width = text_width(Type::kLabel, tick.label), height = line_height(Type::kLabel);
    if (!tick.label.empty() && width + px(4) <= gutter)
      draw_text(*f.list, {plot.min.x - px(6) - width, plot.max.y - tick.label_at - height}, text, tick.label);
  }
  for (const Tick& tick : f.x_ticks) {
    const float x = std::floor(plot.min.x + tick.at) - (tick.at >= plot.width() - 0.5f ? 1 : 0);
    f.list->AddLine({x, plot.min.y}, {x, plot.max.y}, tick.label.empty() ? fade(grid, 0.5f) : grid);
    if (f.all.max.y > plot.max.y + px(4))
      draw_text(*f.list, {plot.min.x + tick.label_at, plot.max.y + px(3)}, text, tick.label);
  }
  if (f.options.x_name.empty() || f.all.height() < px(70)) return;
  const std::string name = elide(f.options.x_name, plot.width(), Type::kLabel);
  draw_text(*f.list, {plot.max.x - text_width(Type::kLabel, name), f.all.max.y - line_height(Type::kLabel)},
            text, name);
}

void LinePlot::lines(Frame& f) {
  const Rect& plot = f.area.rect;
  const float dot = px(4);  // at the edge a point is still whole
  ImGui::PushClipRect({plot.min.x - dot, plot.min.y - dot}, {plot.max.x + dot, plot.max.y + dot}, true);
  for (const Stroke stroke :
       {Stroke::kPinned, Stroke::kFormula, Stroke::kMeasured, Stroke::kGuess, Stroke::kDots}) {
    for (size_t i = 0; i < f.series.size(); ++i) {
      const bool shown = f.series[i].stroke == stroke && !hidden.contains(f.series[i].name);
      if (shown) draw_series(*f.list, f.area, f.series[i]);
    }
  }
  name_bands(f);
  marks(f);
  name_formulas(f);
  const double x = f.options.cursor ? f.area.column(*f.options.cursor) : NAN;
  if (x >= plot.min.x - px(1) && x <= plot.max.x + px(1)) {
    const float at = std::floor(static_cast<float>(x));
    f.list->AddLine({at, plot.min.y}, {at, plot.max.y}, colours().accent, px(1));
    f.list->AddTriangleFilled({at - px(5), plot.min.y}, {at + px(5), plot.min.y}, {at, plot.min.y + px(7)},
                              colours().accent);
  }
  ImGui::PopClipRect();
}

// Whether another series than `own` has a point near the ends or the middle of that rectangle.
bool LinePlot::crossed(const Frame& f, size_t own, float left, float right, float top, float bottom) const {
  for (size_t i = 0; i < f.series.size(); ++i) {
    if (i == own || hidden.contains(f.series[i].name)) continue;
    for (const float x : {left, (left + right) / 2, right}) {
      const auto p = nearest_point(f.series[i].points, f.area.x_at(x));
      const double row = p ? f.area.row(p->y) : NAN;
      if (row >= top && row <= bottom) return true;
    }
  }
  return false;
}

// A tick at the end of each formula's line, and its name beside it where no other name stands.
void LinePlot::name_formulas(Frame& f) {
  const Rect& plot = f.area.rect;
  const float height = line_height(Type::kLabel);
  for (size_t i = 0; i < f.series.size(); ++i) {
    const Series& s = f.series[i];
    if (s.stroke != Stroke::kFormula || hidden.contains(s.name)) continue;
    const auto end = nearest_point(s.points, x_.high);
    if (!end) continue;
    const ImVec2 at(std::min(static_cast<float>(f.area.column(end->x)), plot.max.x - px(1)),
                    static_cast<float>(f.area.row(end->y)));
    if (!plot.contains(at)) continue;
    f.list->AddLine({at.x, at.y - px(4)}, {at.x, at.y + px(4)}, s.colour, px(2));
    const std::string name = elide(s.name, std::min(at.x - plot.min.x, plot.width() / 2), Type::kLabel);
    const float width = text_width(Type::kLabel, name), above = at.y - height - px(6), below = at.y + px(6);
    const bool under = above < plot.min.y || (crossed(f, i, at.x - width, at.x, above, above + height) &&
                                              !crossed(f, i, at.x - width, at.x, below, below + height) &&
                                              below + height <= plot.max.y);
    const auto crowded = [&](float y) { return !f.free({{at.x - width, y}, {at.x, y + height}}); };
    ImVec2 corner(at.x - width, under ? below : above);
    if (crowded(corner.y)) corner.y = under ? above : below;
    if (crowded(corner.y) || corner.y < plot.min.y || corner.y + height > plot.max.y) continue;
    f.taken.push_back({corner, {at.x, corner.y + height}});
    f.list->AddRectFilled({corner.x - px(2), corner.y}, {at.x + px(1), corner.y + height}, colours().panel);
    draw_text(*f.list, corner, colours().text, name);
  }
}

}  // namespace ringside::ui
