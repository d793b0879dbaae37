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
  for (const Prefix smaller : {Prefix{1e-3, "ms"}, Prefix{1e-6, "µs"}, Prefix{1e-9, "ns"}}) {
    if (size > 0 && size < 0.9995 * prefix.size) prefix = smaller;
  }
  const double value = std::abs(seconds / prefix.size);
  const int decimals = value == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{}{:.{}f} {}", seconds < 0 ? "−" : "", value, decimals, prefix.name);
}

}  // namespace

void RowWindow::lay_out(size_t rows, const ui::Rect& room, float least, float most) {
  count = rows;
  const float height = std::max(room.height(), 1.0f), all = static_cast<float>(std::max<size_t>(rows, 1));
  pitch = std::clamp(height / all, least, std::max(least, most));
  shown = std::min(rows, static_cast<size_t>(std::max(1.0f, std::floor(height / pitch + 0.01f))));
  if (shown < rows) pitch = std::max(least, height / static_cast<float>(std::max<size_t>(shown, 1)));
  first = std::min(first, rows - shown);
  top = room.min.y;
}

void RowWindow::take_wheel(const ui::Canvas& canvas) {
  const auto notches = static_cast<int64_t>(std::lround(ImGui::GetIO().MouseWheel * 3));
  if (!canvas.hovered() || notches == 0 || shown >= count) return;
  const auto last = static_cast<int64_t>(count - shown);
  first = static_cast<size_t>(std::clamp<int64_t>(static_cast<int64_t>(first) - notches, 0, last));
}

void RowWindow::reveal(size_t row) {
  if (row < first) first = row;
  if (shown > 0 && row >= first + shown) first = row + 1 - shown;
}

std::optional<size_t> RowWindow::row_at(float y) const {
  if (y < top || pitch <= 0) return std::nullopt;
  const size_t row = first + static_cast<size_t>((y - top) / pitch);
  return row < end() ? std::optional(row) : std::nullopt;
}

void RowWindow::draw_extent(ImDrawList& list, const ui::Rect& room) const {
  if (shown >= count) return;
  const float each = room.height() / static_cast<float>(count);
  const float from = room.min.y + each * static_cast<float>(first);
  const float to = std::min(from + std::max(px(6), each * static_cast<float>(shown)), room.max.y);
  list.AddRectFilled({room.max.x - px(3), from}, {room.max.x, to}, ui::colours().dim);
}

float AxisAcross::at(double value) const {
  const double part = ui::position_of(value, range, axis.log);
  if (std::isnan(part)) return left;  // a log axis has no zero
  return static_cast<float>(left + std::clamp(part, -10.0, 10.0) * (right - left));
}

double AxisAcross::value(float at) const {
  return ui::value_at((at - left) / std::max(right - left, 1.0f), range, axis.log);
}

std::string AxisAcross::text(double value) const {
  const ui::Unit unit = this->unit();
  if (unit.kind == ui::Unit::Kind::kSeconds && std::isfinite(value)) return seconds_text(value);
  if (unit.kind == ui::Unit::Kind::kBytes && std::isfinite(value)) return format_bytes(value);
  return ui::format_value(value, unit, axis.log ? std::abs(value) / 100 : range.span() / 200);
}

ui::Range range_of(const figure::Axis& axis, std::optional<ui::Range> found, bool whole) {
  const ui::Range round =
      ui::round_out(found.value_or(ui::Range{0, 1}), figure::unit_of(axis, whole), 6, axis.log);
  const ui::Range set{axis.least.value_or(round.low), axis.most.value_or(round.high)};
  return set.low < set.high && (!axis.log || set.low > 0) ? ui::usable(set, axis.log) : round;
}

void widen(std::optional<ui::Range>& range, double value) {
  if (!std::isfinite(value)) return;
  range =
      range ? ui::Range{std::min(range->low, value), std::max(range->high, value)} : ui::Range{value, value};
}

void draw_axis(ImDrawList& list, const ui::Rect& plot, const AxisAcross& axis) {
  const float line = ui::line_height(ui::Type::kLabel), length = axis.right - axis.left;
  const auto wide = [](std::string_view text) { return ui::text_width(ui::Type::kLabel, text); };
  const ImU32 grid = ui::fade(ui::colours().line, 0.4f);
  for (const ui::Tick& tick : ui::ticks_of(axis.range, axis.unit(), length, px(16), wide, axis.axis.log)) {
    const float x = std::floor(axis.left + tick.at);
    list.AddLine({x, plot.min.y}, {x, plot.max.y}, tick.label.empty() ? ui::fade(grid, 0.5f) : grid);
    ui::draw_text(list, {axis.left + tick.label_at, plot.max.y + px(3)}, ui::colours().dim, tick.label);
  }
  const std::string name = ui::elide(axis.axis.name, length, ui::Type::kLabel);
  const float width = ui::text_width(ui::Type::kLabel, name);
  ui::draw_text(list, {axis.right - width, plot.max.y + px(5) + line}, ui::colours().dim, name);
}

bool room_left(const ImDrawList& list) {
  constexpr int kMost = 60000;  // the rest for words and frames
  const bool offsets = (ImGui::GetIO().BackendFlags & ImGuiBackendFlags_RendererHasVtxOffset) != 0;
  return offsets || list.VtxBuffer.Size < kMost;
}

float axis_height(const figure::Axis& axis) {
  const float line = ui::line_height(ui::Type::kLabel);
  return line + px(4) + (axis.name.empty() ? 0 : line + px(2));
}

float draw_legend(ImDrawList& list, const ui::Rect& rect, const std::vector<LegendEntry>& entries) {
  const float line = ui::line_height(ui::Type::kLabel), height = line + px(4), swatch = px(12);
  float x = rect.min.x, y = rect.min.y;
  for (const LegendEntry& entry : entries) {
    const float most = std::min(rect.width() - swatch - px(4), px(220));
    const std::string name = ui::elide(entry.name, most, ui::Type::kLabel);
    const float width = swatch + px(4) + ui::text_width(ui::Type::kLabel, name);
    if (x > rect.min.x && x + width > rect.max.x) x = rect.min.x, y += height;
    if (y + height > rect.min.y + rect.height() / 4) return y - rect.min.y;
    list.AddRectFilled({x, y + px(2)}, {x + swatch, y + px(2) + swatch}, entry.colour, px(2));
    ui::draw_text(list, {x + swatch + px(4), y + px(1)}, ui::colours().text, name);
    x += width + px(16);
  }
  return entries.empty() ? 0 : y + height + px(4) - rect.min.y;
}

bool PlacedWords::put(ImDrawList& list, ImVec2 corner, std::string_view text, ImU32 colour, bool ground,
                      ui::Type type) {
  const ImVec2 size(ui::text_width(type, text), ui::line_height(type));
  const ui::Rect r{corner, {corner.x + size.x, corner.y + size.y}};
  if (text.empty() || r.min.x < room_.min.x || r.max.x > room_.max.x || r.min.y < room_.min.y ||
      r.max.y > room_.max.y)
    return false;
  for (const ui::Rect& t : taken_) {
    if (r.min.x < t.max.x + px(2) && t.min.x < r.max.x + px(2) && r.min.y < t.max.y && t.min.y < r.max.y)
      return false;
  }
  if (ground)
    list.AddRectFilled({r.min.x - px(2), r.min.y}, {r.max.x + px(2), r.max.y}, ui::colours().background,
                       px(2));
  ui::draw_text(list, corner, colour, text, type);
  taken_.push_back(r);
  return true;
}

KeySteps arrow_keys() {
  using ui::Key;
  const auto step = [](Key more, Key less) {
    return static_cast<int>(ui::pressed({more}, true)) - static_cast<int>(ui::pressed({less}, true));
  };
  return {step(Key::kRight, Key::kLeft), step(Key::kDown, Key::kUp)};
}

size_t moved(size_t index, int steps, size_t count) {
  if (count == 0) return 0;
  const auto last = static_cast<int64_t>(count) - 1;
  return static_cast<size_t>(std::clamp<int64_t>(static_cast<int64_t>(index) + steps, 0, last));
}

}  // namespace ringside
