// Matrices, tables and listings as SVG.
#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "svg_page.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr double kMono = 7.9;  // a column of the fixed-width font of 13 pixels

std::string cell_word(const MatrixCell& cell, const Unit& unit) {
  constexpr std::string_view kSigns[] = {"", "", "=", "≠", "✗"};
  if (!cell.word.empty()) return clean(cell.word);
  if (cell.state == MatrixCell::State::kValue) return format_alone(cell.value, unit);
  return std::string(kSigns[size_t(cell.state)]);
}

}  // namespace

void add_svg(SvgPage& page, const Matrix& matrix) {
  const Range range = range_of(matrix);
  double names = 0;
  for (const std::string& row : matrix.rows)
    names = std::max(names, std::min(200.0, SvgPage::width_of(row, 12)));
  const double left = SvgPage::kMargin + names + 10, top = page.bottom() + 44;
  const double room = page.width() - SvgPage::kMargin - left;
  const double wide = std::clamp(room / double(matrix.columns.size()), 4.0, 110.0),
               high = std::clamp(wide, 4.0, 28.0);
  page.text(left, top - 26, matrix.column_name, page.dim());
  page.text(SvgPage::kMargin, top - 6, matrix.row_name, page.dim());
  const Unit unit = unit_of(matrix.unit);
  for (size_t c = 0; c < matrix.columns.size(); ++c)
    if (wide >= 20)
      page.text(left + wide * (double(c) + 0.5), top - 6, SvgPage::cut_to(matrix.columns[c], wide, 12),
                page.dim("middle"));
  for (size_t r = 0; r < matrix.rows.size(); ++r) {
    const double y = top + high * double(r);
    if (high >= 10)
      page.text(left - 8, y + high / 2 + 4, SvgPage::cut_to(matrix.rows[r], names + 8, 12), page.dim("end"));
    for (size_t c = 0; c < matrix.columns.size(); ++c) {
      const MatrixCell& cell = matrix.cells[r * matrix.columns.size() + c];
      const double part = std::isnan(cell.value) ? 0 : std::clamp(position_of(cell.value, range), 0.0, 1.0);
      uint32_t fill = mix(page.colours.panel, page.colours.parameters, part);
      if (cell.state == MatrixCell::State::kEmpty) fill = page.colours.background;
      if (cell.state == MatrixCell::State::kSame) fill = page.colours.panel;
      if (cell.state == MatrixCell::State::kDifferent) fill = page.colours.gradients;
      if (cell.state == MatrixCell::State::kWrong) fill = page.colours.alarm;
      const Rect at{left + wide * double(c), y, wide - 1, high - 1};
      page.rect(at, fill);
      const std::string word = cell_word(cell, unit);
      if (high < 14 || SvgPage::width_of(word, 12) > wide) continue;
      page.text(at.x + at.width / 2, at.y + at.height / 2 + 4, word,
                {.colour = text_on(fill), .size = 12, .anchor = "middle"});
    }
  }
}

void add_svg(SvgPage& page, const Table& table) {
  std::vector<double> widths;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    widths.push_back(SvgPage::width_of(title_of(table.columns[c])));
    for (const auto& row : table.rows)
      widths[c] = std::max(widths[c], SvgPage::width_of(text_of(row[c], table.columns[c])));
    widths[c] = std::min(widths[c], 420.0) + 20;
  }
  double y = page.bottom() + 8;
  const auto put_row = [&](const auto& word, const TextLook& look) {
    double x = SvgPage::kMargin;
    y += SvgPage::kLine;
    for (size_t c = 0; c < widths.size(); ++c) {
      TextLook cell = look;
      if (table.columns[c].number) cell.anchor = "end";
      page.text(table.columns[c].number ? x + widths[c] - 20 : x, y, SvgPage::cut_to(word(c), widths[c] - 16),
                cell);
      x += widths[c];
    }
    page.reach(x, y);
  };
  put_row([&](size_t c) { return title_of(table.columns[c]); }, page.dim());
  page.line(SvgPage::kMargin, y + 6, page.width() - SvgPage::kMargin, y + 6, {page.colours.line});
  y += 4;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (std::ranges::find(table.lit, r) != table.lit.end())
      page.rect({SvgPage::kMargin - 6, y + 5, page.inner_width() + 12, SvgPage::kLine}, page.colours.raised);
    put_row([&](size_t c) { return text_of(table.rows[r][c], table.columns[c]); }, page.plain());
  }
}

void add_svg(SvgPage& page, const Listing& listing) {
  size_t code = 0;
  for (const SourceLine& line : listing.lines) code = std::max(code, ringside::columns(line.text));
  const size_t digits = std::to_string(listing.lines.size()).size();
  const double text_x = SvgPage::kMargin + kMono * double(digits + 3),
               value_x = text_x + kMono * double(std::min<size_t>(code, 100) + 3);
  double y = page.bottom() + 10;
  TextLook look = page.plain(), number = page.dim("end");
  look.mono = number.mono = true;
  for (size_t i = 0; i < listing.lines.size(); ++i) {
    const SourceLine& line = listing.lines[i];
    y += SvgPage::kLine;
    if (listing.current == i)
      page.rect({SvgPage::kMargin - 6, y - 15, page.inner_width() + 12, SvgPage::kLine}, page.colours.raised);
    page.text(text_x - 2 * kMono, y, std::to_string(i + 1), number);
    page.text(text_x, y, cut(line.text, 100), look);
    TextLook value = look;
    value.colour = page.of(Ink::kAccent);
    page.text(value_x, y, line.value, value);
    page.reach(value_x + kMono * double(ringside::columns(line.value)), y);
  }
}

}  // namespace ringside::figure
