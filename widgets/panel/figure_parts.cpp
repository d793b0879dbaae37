#include "figure_parts.h"

#include <fmt/format.h>

#include <cmath>

#include "ringside/base/units.h"
#include "ringside/widgets/keys.h"

namespace ringside {
namespace {

using ui::px;

// Three digits, in the unit that the time itself reaches: "1.69 µs".
std::string seconds_text(double seconds) {
  struct Prefix {
    double size;
    std::string_view name;
  };
  const double size = std::abs(seconds);
  Prefix prefix{1, "s"};
  for (const Prefix smaller : {Prefix{1e-3, "ms"}, Prefix{1e-6, "µs"}, Prefix{1e-9, "ns"}})
    if (size > 0 && size < 0.9995 * prefix.size) prefix = smaller;
  const double value = std::abs(seconds / prefix.size);
  const int decimals = value == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{}{:.{}f} {}", seconds < 0 ? "−" : "", value, decimals, prefix.name);
}

}  // namespace

void RowWindow::lay_out(size_t rows, float edge, float room, float least, float most) {
  count = rows;
  const float height = std::max(room, 1.0f), all = float(std::max<size_t>(rows, 1));
  pitch = std::clamp(height / all, least, std::max(least, most));
  shown = std::min(rows, size_t(std::max(1.0f, std::floor(height / pitch + 0.01f))));
  if (shown < rows) pitch = std::max(least, height / float(std::max<size_t>(shown, 1)));
  first = std::min(first, rows - shown);
  top = edge;
}

void RowWindow::take_wheel(const ui::Canvas& canvas) {
  const auto notches = int64_t(std::lround(ImGui::GetIO().MouseWheel * 3));
  if (!canvas.hovered() || notches == 0 || shown >= count) return;
  const auto last = int64_t(count - shown);
  first = size_t(std::clamp<int64_t>(int64_t(first) - notches, 0, last));
}

void RowWindow::reveal(size_t row) {
  if (row < first) first = row;
  if (shown > 0 && row >= first + shown) first = row + 1 - shown;
}

void RowWindow::choose_by_keys(std::optional<size_t>& row) {
  const int down = arrow_keys().down;
  if (down == 0 || count == 0) return;
  row = row ? moved(*row, down, count) : first;
  reveal(*row);
}

std::optional<size_t> RowWindow::row_at(float y) const {
  if (y < top || pitch <= 0) return std::nullopt;
  const size_t row = first + size_t((y - top) / pitch);
  return row < end() ? std::optional(row) : std::nullopt;
}

void RowWindow::draw_extent(ImDrawList& list, const ui::Rect& room, bool down) const {
  if (shown >= count) return;
  const float begin = down ? room.min.y : room.min.x, end = down ? room.max.y : room.max.x;
  const float each = (end - begin) / float(count), from = begin + each * float(first);
  const float to = std::min(from + std::max(px(6), each * float(shown)), end);
  if (down)
    list.AddRectFilled({room.max.x - px(3), from}, {room.max.x, to}, ui::colours().dim);
  else
    list.AddRectFilled({from, room.max.y - px(3)}, {to, room.max.y}, ui::colours().dim);
}

float AxisAcross::at(double value) const {
  const double part = figure::position_of(value, range, axis.log);
  if (std::isnan(part)) return left;  // a log axis has no zero
  return float(left + std::clamp(part, -10.0, 10.0) * (right - left));
}

double AxisAcross::value(float at) const {
  return figure::value_at((at - left) / std::max(right - left, 1.0f), range, axis.log);
}

std::string AxisAcross::text(double value) const {
  const figure::Unit unit = this->unit();
  if (unit.kind == figure::Unit::Kind::kSeconds && std::isfinite(value)) return seconds_text(value);
  if (unit.kind == figure::Unit::Kind::kBytes && std::isfinite(value)) return format_bytes(value);
  return figure::format_value(value, unit, axis.log ? std::abs(value) / 100 : range.span() / 200);
}

figure::Range range_of(const figure::Axis& axis, std::optional<figure::Range> found, bool whole) {
  const figure::Range round =
      figure::round_out(found.value_or(figure::Range{0, 1}), figure::unit_of(axis, whole), 6, axis.log);
  const figure::Range set{axis.least.value_or(round.low), axis.most.value_or(round.high)};
  return set.low < set.high && (!axis.log || set.low > 0) ? figure::usable(set, axis.log) : round;
}

void widen(std::optional<figure::Range>& range, double value) {
  if (!std::isfinite(value)) return;
  range = range ? figure::Range{std::min(range->low, value), std::max(range->high, value)}
                : figure::Range{value, value};
}

void draw_axis(ImDrawList& list, const ui::Rect& plot, const AxisAcross& axis) {
  const float line = ui::line_height(), length = axis.right - axis.left;
  const auto wide = [](std::string_view text) { return ui::text_width(text); };
  const ImU32 grid = ui::fade(ui::colours().line, 0.4f);
  for (const figure::Tick& tick :
       figure::ticks_of(axis.range, axis.unit(), length, px(16), wide, axis.axis.log)) {
    const float x = std::floor(axis.left + tick.at) - (tick.at >= length - 0.5f ? 1 : 0);
    list.AddLine({x, plot.min.y}, {x, plot.max.y}, tick.label.empty() ? ui::fade(grid, 0.5f) : grid);
    ui::draw_text(list, {axis.left + tick.label_at, plot.max.y + px(3)}, ui::colours().dim, tick.label);
  }
  const std::string name = ui::elide(axis.axis.name, length);
  const float width = ui::text_width(name);
  ui::draw_text(list, {axis.right - width, plot.max.y + px(5) + line}, ui::colours().dim, name);
}

std::vector<figure::Tick> ticks_up(const ui::Rect& plot, const figure::Range& range, const figure::Unit& unit,
                                   bool log) {
  const auto one_line = [](std::string_view) { return ui::line_height(); };
  return figure::ticks_of(range, unit, plot.height(), px(10), one_line, log);
}

float widest_of(const std::vector<figure::Tick>& ticks) {
  float width = 0;
  for (const figure::Tick& tick : ticks) width = std::max(width, ui::text_width(tick.label));
  return width;
}

void draw_ticks_up(ImDrawList& list, const ui::Rect& plot, const std::vector<figure::Tick>& ticks,
                   float gutter, bool grid) {
  const ImU32 colour = ui::fade(ui::colours().line, 0.5f);
  for (const figure::Tick& tick : ticks) {
    const float y = std::floor(plot.max.y - tick.at) - (tick.at <= 0.5f ? 1 : 0);
    if (grid)
      list.AddLine({plot.min.x, y}, {plot.max.x, y}, tick.label.empty() ? ui::fade(colour, 0.5f) : colour);
    const float width = ui::text_width(tick.label);
    if (!tick.label.empty() && width + px(4) <= gutter)
      ui::draw_text(list, {plot.min.x - px(6) - width, plot.max.y - tick.label_at - ui::line_height()},
                    ui::colours().dim, tick.label);
  }
}

void draw_cursor(ImDrawList& list, const ui::Rect& plot, double x) {
  if (!(x >= plot.min.x - 1 && x <= plot.max.x + 1)) return;
  const float at = std::floor(float(x));
  list.AddLine({at, plot.min.y}, {at, plot.max.y}, ui::colours().accent, px(1));
  list.AddTriangleFilled({at - px(5), plot.min.y}, {at + px(5), plot.min.y}, {at, plot.min.y + px(7)},
                         ui::colours().accent);
}

bool room_left(const ImDrawList& list) {
  constexpr int kMost = 60000;  // the rest for words and frames
  const bool offsets = (ImGui::GetIO().BackendFlags & ImGuiBackendFlags_RendererHasVtxOffset) != 0;
  return offsets || list.VtxBuffer.Size < kMost;
}

float axis_height(const figure::Axis& axis) {
  const float line = ui::line_height();
  return line + px(4) + (axis.name.empty() ? 0 : line + px(2));
}

float draw_legend(ImDrawList& list, const ui::Rect& rect, const std::vector<LegendEntry>& entries) {
  const float line = ui::line_height(), height = line + px(4), swatch = px(12);
  float x = rect.min.x, y = rect.min.y;
  for (const LegendEntry& entry : entries) {
    const float most = std::min(rect.width() - swatch - px(4), px(220));
    const std::string name = ui::elide(entry.name, most);
    const float width = swatch + px(4) + ui::text_width(name);
    if (x > rect.min.x && x + width > rect.max.x) x = rect.min.x, y += height;
    if (y + height > rect.min.y + rect.height() / 4) return y - rect.min.y;
    list.AddRectFilled({x, y + px(2)}, {x + swatch, y + px(2) + swatch}, entry.colour, px(2));
    ui::draw_text(list, {x + swatch + px(4), y + px(1)}, ui::colours().text, name);
    x += width + px(16);
  }
  return entries.empty() ? 0 : y + height + px(4) - rect.min.y;
}

bool PlacedWords::put(ImDrawList& list, ImVec2 corner, std::string_view text, ImU32 colour, bool ground) {
  const ImVec2 size(ui::text_width(text), ui::line_height());
  const ui::Rect r{corner, {corner.x + size.x, corner.y + size.y}};
  if (text.empty() || r.min.x < room_.min.x || r.max.x > room_.max.x || r.min.y < room_.min.y ||
      r.max.y > room_.max.y)
    return false;
  const ui::Rect apart{{r.min.x - px(2), r.min.y}, {r.max.x + px(2), r.max.y}};
  if (std::ranges::any_of(taken_, [&](const ui::Rect& taken) { return taken.overlaps(apart); })) return false;
  if (ground) list.AddRectFilled(apart.min, apart.max, ground_, px(2));
  ui::draw_text(list, corner, colour, text);
  taken_.push_back(r);
  return true;
}

KeySteps arrow_keys() {
  using ui::Key;
  const auto step = [](Key more, Key less) {
    return int(ui::pressed({more}, true)) - int(ui::pressed({less}, true));
  };
  return {step(Key::kRight, Key::kLeft), step(Key::kDown, Key::kUp)};
}

size_t moved(size_t index, int steps, size_t count) {
  if (count == 0) return 0;
  const auto last = int64_t(count) - 1;
  return size_t(std::clamp<int64_t>(int64_t(index) + steps, 0, last));
}

}  // namespace ringside
