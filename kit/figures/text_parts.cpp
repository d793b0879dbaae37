#include "text_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

namespace ringside::figure {
namespace {

const char* code_of_ink(Ink ink) {
  constexpr const char* kCodes[] = {"34", "33", "35", "32", "90", "", "2", "36", "31"};
  return kCodes[size_t(ink)];
}

}  // namespace

std::string painted(const std::string& words, Ink ink, bool colour) {
  const std::string code = code_of_ink(ink);
  return colour && !code.empty() && !words.empty() ? "\x1b[" + code + "m" + words + "\x1b[0m" : words;
}

std::string value_text(double value, const std::string& unit) {
  if (unit == "bytes") return format_bytes(value);
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  const std::string number = is_whole ? format_count(std::llround(value)) : fmt::format("{:.4g}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string bold(const std::string& words, bool colour) {
  return colour && !words.empty() ? "\x1b[1m" + words + "\x1b[0m" : words;
}

void Canvas::put(size_t column, size_t row, std::string_view letter, Ink ink) {
  if (column >= columns_ || row >= rows()) return;
  cells_[row * columns_ + column] = {std::string(letter), 0, ink};
}

void Canvas::write(size_t column, size_t row, std::string_view text, Ink ink) {
  while (!text.empty()) {
    const size_t bytes = first_letter(text).bytes;
    put(column++, row, text.substr(0, bytes), ink);
    text.remove_prefix(bytes);
  }
}

void Canvas::dot(size_t x, size_t y, Ink ink) {
  if (x / 2 >= columns_ || y / 4 >= rows()) return;
  constexpr unsigned kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  Cell& cell = cells_[y / 4 * columns_ + x / 2];
  cell.letter.clear();
  cell.dots |= kBits[y % 4][x % 2];
  cell.ink = ink;
}

std::string Canvas::line(size_t row, bool colour) const {
  std::string text, run;
  Ink ink = Ink::kText;
  for (size_t column = 0; column < columns_; ++column) {
    const Cell& cell = cells_[row * columns_ + column];
    if (cell.ink != ink) text += painted(std::exchange(run, ""), std::exchange(ink, cell.ink), colour);
    run += cell.dots != 0 ? to_utf8(0x2800 + cell.dots) : cell.letter.empty() ? " " : cell.letter;
  }
  return text + painted(run, ink, colour);
}

void TextBlock::line(std::string content) {
  content.resize(content.find_last_not_of(' ') + 1);
  text_ += content + '\n';
}

void TextBlock::wrapped(const std::string& content, size_t indent) {
  line(std::string(indent, ' ') + wrap(content, width, indent));
}

void TextBlock::items(const std::vector<std::string>& all, size_t indent) {
  std::string row;
  for (const std::string& item : all) {
    if (item.empty()) continue;
    if (!row.empty() && indent + columns(row) + 3 + columns(item) > width)
      line(std::string(indent, ' ') + std::exchange(row, ""));
    row += (row.empty() ? "" : "   ") + cut(item, width - indent);
  }
  if (!row.empty()) line(std::string(indent, ' ') + row);
}

void TextBlock::more(size_t left_out, std::string_view of_what) {
  if (left_out > 0) line(paint(tr("... {} more {}", left_out, std::string(of_what)), Ink::kDim));
}

std::string clean(std::string_view text) {
  std::string blanks(text);
  for (char& c : blanks)
    if (c == '\t' || c == '\n') c = ' ';
  return printable(blanks);
}

std::string cut(std::string_view text, size_t most) {
  std::string shown = clean(text);
  if (columns(shown) <= most) return shown;
  if (most == 0) return "";
  return std::string(first_columns(shown, most - 1)) + "…";
}

std::string repeated(std::string_view letter, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += letter;
  return text;
}

std::string_view fill_of(Ink ink) {
  constexpr std::string_view kFills[] = {"█", "▓", "▒", "░", "▚", "▪", "·", "▞", "!"};
  return kFills[size_t(ink)];
}

std::string axis_title(const Axis& axis) {
  const std::string& unit = tick_unit(axis).kind == Unit::Kind::kPlain ? axis.unit : "";
  const std::string name = unit.empty() ? axis.name : axis.name + ", " + unit;
  return clean(axis.log ? tr("{} (log)", name) : name);
}

Unit tick_unit(const Axis& axis, bool whole) {
  Unit unit = unit_of(axis, whole);
  unit.suffix.clear();
  return unit;
}

std::string letter_of_line(size_t nth) { return std::string(1, char('a' + nth % 26)); }

std::string_view shade_of(double part) {
  constexpr std::string_view kShades[] = {" ", "░", "▒", "▓", "█"};
  return kShades[std::isfinite(part) ? size_t(std::clamp(part * 5, 0.0, 4.0)) : 0];
}

std::optional<size_t> column_of(double value, Range range, bool log, size_t columns) {
  const double at = position_of(value, range, log);
  if (!(at >= -1e-9 && at <= 1 + 1e-9) || columns == 0) return std::nullopt;
  return size_t(std::lround(std::clamp(at, 0.0, 1.0) * double(columns - 1)));
}

std::string tick_line(const Axis& axis, Range range, size_t columns_wide, size_t indent, bool whole) {
  constexpr float kColumn = 8;  // ticks_of() counts in pixels
  const Extent extent = [&](std::string_view label) { return kColumn * float(columns(label)); };
  Canvas canvas(columns_wide, 1);
  for (const Tick& tick : ticks_of(range, tick_unit(axis, whole), kColumn * float(columns_wide), 2 * kColumn,
                                   extent, axis.log)) {
    if (!tick.label.empty()) canvas.write(size_t(tick.label_at / kColumn), 0, tick.label);
  }
  return std::string(indent, ' ') + canvas.line(0, false);
}

std::string to_text(const Value& value, int width, bool colour) {
  TextBlock text(width, colour);
  const std::string unfit = why_unfit(value);
  if (!unfit.empty()) return tr("This figure cannot be shown: {}.", unfit) + '\n';
  std::visit([&](const auto& kind) { add_text(text, kind); }, value);
  return text.text();
}

void add_text(TextBlock& text, const Nothing& nothing) { text.wrapped(clean(nothing.why), 0); }

}  // namespace ringside::figure
