#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

struct BarScale {
  Range range;
  bool log;
  size_t columns;
  // In eighths of a column.
  size_t eighths(double value) const {
    const double at = position_of(value, range, log);
    return std::isfinite(at) ? size_t(std::lround(std::clamp(at, 0.0, 1.0) * 8 * double(columns))) : 0;
  }
};

// One bar between two values; an exact one ends in eighths.
void put_bar(Canvas& canvas, const BarScale& scale, double from, double to, Ink ink, std::string_view fill,
             bool exact) {
  constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const size_t a = scale.eighths(std::min(from, to)), b = scale.eighths(std::max(from, to));
  const size_t first = (a + 4) / 8, last = exact ? b / 8 : (b + 4) / 8;
  for (size_t i = first; i < last; ++i) canvas.put(i, 0, fill, ink);
  if (exact && b % 8 > 0 && b / 8 >= first) canvas.put(b / 8, 0, kEighths[b % 8], ink);
  if (b > a && (exact ? b < 8 * first + 1 : last <= first)) canvas.put(first, 0, exact ? "▏" : fill, ink);
}

std::string bar_word(const Bars& bars, double value, const std::string& word) {
  if (bars.stacked && bars.value.unit == "%" && !word.empty()) return clean(word);  // shares: they make 100 %
  std::string text = format_alone(value, unit_of(bars.value.unit));
  if (!word.empty()) text += "  " + clean(word);
  return text;
}

struct BarText {
  std::string name, bar, word;
};

void add_limit(Canvas& canvas, const Bars& bars, const BarScale& scale) {
  if (!bars.limit) return;
  canvas.put(std::min(scale.eighths(bars.limit->at) / 8, scale.columns - 1), 0, "│", Ink::kText);
}

BarText stacked_row(const Bars& bars, const BarRow& row, const BarScale& scale, bool colour) {
  Canvas canvas(scale.columns, 1);
  double at = 0;
  const double origin = scale.log ? scale.range.low : 0;
  for (size_t i = 0; i < row.values.size(); ++i) {
    const double value = row.values[i];
    if (std::isnan(value)) continue;
    const std::string_view fill = bars.parts.size() == 1 ? "█" : fill_of(hue(i));
    put_bar(canvas, scale, at == 0 ? origin : at, at + value, bars.parts[i].ink, fill,
            bars.parts.size() == 1);
    at += value;
  }
  add_limit(canvas, bars, scale);
  return {cut(row.name, 30), canvas.line(0, colour), bar_word(bars, total_of(row), row.word)};
}

void add_rows(std::vector<BarText>& all, const Bars& bars, const BarRow& row, const BarScale& scale,
              bool colour) {
  if (bars.stacked || bars.parts.size() == 1) {
    all.push_back(stacked_row(bars, row, scale, colour));
    return;
  }
  for (size_t i = 0; i < row.values.size(); ++i) {
    Canvas canvas(scale.columns, 1);
    if (!std::isnan(row.values[i]))
      put_bar(canvas, scale, scale.log ? scale.range.low : 0, row.values[i], bars.parts[i].ink,
              fill_of(hue(i)), false);
    add_limit(canvas, bars, scale);
    all.push_back({i == 0 ? cut(row.name, 30) : "", canvas.line(0, colour),
                   bar_word(bars, row.values[i], i == 0 ? row.word : "")});
  }
}

}  // namespace

void add_text(TextBlock& text, const Bars& bars) {
  const size_t shown = std::min(bars.rows.size(), kMostRows);
  size_t names = 0, words = 0;
  for (size_t i = 0; i < shown; ++i) {
    const BarRow& row = bars.rows[i];
    names = std::max(names, columns(cut(row.name, 30)));
    if (bars.stacked) words = std::max(words, columns(bar_word(bars, total_of(row), row.word)));
    for (const double value : row.values)
      if (!bars.stacked) words = std::max(words, columns(bar_word(bars, value, row.word)));
  }
  words = std::min(words, text.width / 2 - 5);
  const size_t wide = std::max<size_t>(10, text.width - std::min(text.width, names + words + 4));
  const BarScale scale{range_of(bars), bars.value.log, wide};
  std::vector<BarText> rows;
  for (size_t i = 0; i < shown; ++i) add_rows(rows, bars, bars.rows[i], scale, text.colour);
  if (const std::string title = axis_title(bars.value); !title.empty()) text.line(title);
  for (const BarText& row : rows)
    text.line(pad(row.name, names) + "  " + row.bar + "  " + cut(row.word, words));
  text.more(bars.rows.size() - shown, tr("rows"));
  std::vector<std::string> legend;
  for (size_t i = 0; bars.parts.size() > 1 && i < bars.parts.size(); ++i)
    legend.push_back(std::string(fill_of(hue(i))) + " " + bars.parts[i].name);
  if (bars.limit)
    legend.push_back("│ " + bars.limit->name + " " + format_alone(bars.limit->at, unit_of(bars.value.unit)));
  text.items(legend, names + 2);
}

}  // namespace ringside::figure
