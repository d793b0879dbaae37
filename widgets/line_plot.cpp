#include "ringside/widgets/line_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "line_plot_frame.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

Rect rect_at(ImVec2 at, ImVec2 size) { return {at, {at.x + size.x, at.y + size.y}}; }

// The range of all shown series, made to end at round numbers.
Range fitted(const Range& found, const Unit& unit, float length, float per_step, bool log) {
  const int most = std::max(2, static_cast<int>(length / px(per_step)));
  return round_out(found, unit, most, log);
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
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemFocused();
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
  for (const Series& s : series) f.curves.push_back(s.curve ? s.curve : &f.spans.emplace_back(s.points));
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
  float x = f.all.min.x;
  for (size_t i = 0; i < f.series.size(); ++i) {
    const Series& s = f.series[i];
    const std::string name = elide(s.name, std::min(f.all.width() - sample - px(4), px(220)), Type::kLabel);
    const float width = sample + px(4) + text_width(Type::kLabel, name);
    if (x > f.all.min.x && x + width > f.all.max.x) x = f.all.min.x, f.top += height;
    if (f.top + height > lowest) {
      f.top -= height;
      break;
    }
    const Rect rect{{x, f.top}, {x + width, f.top + height}};
    const std::string item = f.id + ".legend." + s.name;
    ImGui::SetCursorScreenPos(rect.min);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("entry", {width, height}) && hidden.erase(s.name) == 0) hidden.insert(s.name);
    ImGui::PopID();
    const bool off = hidden.contains(s.name), lit = ImGui::IsItemHovered() || ImGui::IsItemFocused();
    mark(item);
    tooltip(off ? s.name + ": click to show it" : s.name + ": click to hide it");
    const float middle = (rect.min.y + rect.max.y) / 2, text_x = x + sample + px(4);
    if (!off) draw_sample(*f.list, {rect.min, {x + sample, rect.max.y}}, s);
    draw_text_in(*f.list, {{text_x, rect.min.y}, {rect.max.x + 1, rect.max.y}},
                 off ? colours().dim : colours().text, name, Type::kLabel, false);
    if (off || lit) {  // struck through, or underlined
      const float y = off ? middle : rect.max.y - px(2);
      f.list->AddLine({text_x, y}, {rect.max.x, y}, colours().dim, px(1));
    }
    x += width + px(16);
  }
  f.top += height + px(4);
}

void LinePlot::lay_out(Frame& f) {
  Range x{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}, y = x;
  for (size_t i = 0; i < f.series.size(); ++i) {
    const Curve& curve = *f.curves[i];
    const size_t size = curve.size();
    if (size == 0 || hidden.contains(f.series[i].name)) continue;
    size_t first = log_x ? std::min(size - 1, curve.lower_bound(std::numeric_limits<double>::min())) : 0;
    widen(x, curve.point(first).x);
    widen(x, curve.point(size - 1).x);
    if (const auto values = curve.range(0, size)) widen(y, values->min), widen(y, values->max);
  }
  if (!log_y && y.low > 0 && y.low < y.high / 2) y.low = 0;  // lengths are compared from zero
  const float label = line_height(Type::kLabel);
  const bool tall = f.all.height() >= px(70), named = tall && !f.options.x_name.empty();
  Rect& plot = f.area.rect;
  plot = {{f.all.min.x, f.top + px(2)}, f.all.max};
  if (tall) plot.max.y -= label + px(4) + (named ? label + px(2) : 0);
  y_ = view_y_ ? *view_y_ : fitted(y, f.options.y_unit, plot.height(), 40, log_y);
  const auto one_line = [&](std::string_view) { return label; };
  f.y_ticks = ticks_of(y_, f.options.y_unit, plot.height(), px(10), one_line, log_y);
  float widest = 0;
  for (const Tick& tick : f.y_ticks) widest = std::max(widest, text_width(Type::kLabel, tick.label));
  if (tall && f.all.width() > px(100)) plot.min.x += std::min(widest + px(8), f.all.width() / 2);
  x_ = view_x_ ? *view_x_ : fitted(x, f.options.x_unit, plot.width(), 80, log_x);
  const auto wide = [](std::string_view text) { return text_width(Type::kLabel, text); };
  f.x_ticks = ticks_of(x_, f.options.x_unit, plot.width(), px(12), wide, log_x);
  f.area = {plot, x_, y_, log_x, log_y};
}

void LinePlot::axes(Frame& f) {
  const Rect& plot = f.area.rect;
  const ImU32 grid = fade(colours().line, 0.5f), text = colours().dim;
  f.list->AddRectFilled(plot.min, plot.max, colours().panel);
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
  ImGui::PushClipRect(plot.min, plot.max, true);
  std::vector<float> named;  // rows of the formulas' names
  for (size_t i = 0; i < f.series.size(); ++i) {
    const Series& s = f.series[i];
    if (hidden.contains(s.name)) continue;
    draw_series(*f.list, f.area, s, *f.curves[i]);
    if (s.stroke != Stroke::kFormula) continue;
    const auto end = nearest_point(*f.curves[i], x_.high);
    const double at = end ? f.area.row(end->y) : NAN;
    const float row = static_cast<float>(std::isfinite(at) ? at : -1), height = line_height(Type::kLabel);
    const bool taken = std::ranges::any_of(named, [&](float y) { return std::abs(y - row) < height; });
    if (row < plot.min.y + height || row > plot.max.y || taken) continue;
    named.push_back(row);
    f.list->AddLine({plot.max.x - px(1), row - px(4)}, {plot.max.x - px(1), row + px(4)}, s.colour, px(2));
    const std::string name = elide(s.name, plot.width() / 2, Type::kLabel);
    const ImVec2 corner(plot.max.x - px(6) - text_width(Type::kLabel, name), row - height - px(1));
    f.list->AddRectFilled(corner, {plot.max.x - px(4), row - px(1)}, colours().panel);
    draw_text(*f.list, corner, colours().text, name);
  }
  if (f.options.cursor) {
    const double x = f.area.column(*f.options.cursor);
    if (x >= plot.min.x - px(1) && x <= plot.max.x + px(1)) {
      const float at = std::floor(static_cast<float>(x));
      f.list->AddLine({at, plot.min.y}, {at, plot.max.y}, colours().accent, px(1));
      f.list->AddTriangleFilled({at - px(5), plot.min.y}, {at + px(5), plot.min.y}, {at, plot.min.y + px(7)},
                                colours().accent);
    }
  }
  ImGui::PopClipRect();
}

}  // namespace ringside::ui
