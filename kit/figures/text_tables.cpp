// Tables, and lines of source.
#include <algorithm>
#include <sstream>
#include <utility>

#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr size_t kNarrowest = 6;  // of a column that is made to fit

// What each column needs; the widest ones of words give way where all do not fit.
std::vector<size_t> widths_of(const Table& table, size_t rows, size_t room) {
  std::vector<size_t> widths;
  for (const TableColumn& column : table.columns) widths.push_back(columns(title_of(column)));
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < widths.size(); ++c)
      widths[c] = std::max(widths[c], columns(text_of(table.rows[r][c], table.columns[c])));
  const auto total = [&] {
    size_t sum = 2 * (widths.size() - 1);
    for (const size_t width : widths) sum += width;
    return sum;
  };
  while (total() > room) {
    size_t widest = 0;
    for (size_t c = 1; c < widths.size(); ++c)
      if (widths[c] > widths[widest]) widest = c;
    if (widths[widest] <= kNarrowest) break;
    --widths[widest];
  }
  return widths;
}

std::string aligned(const std::string& content, const TableColumn& column, size_t width) {
  const std::string shown = cut(content, width);
  return column.number ? pad_left(shown, width) : pad(shown, width);
}

// A cell over as many lines as its column needs; a word that is wider than the column is cut.
std::vector<std::string> lines_in(const std::string& content, size_t width) {
  std::vector<std::string> lines;
  std::istringstream in(columns(content) <= width ? content : wrap(content, width, 0));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A row, or the head, as lines: none is wider than the columns and two blanks between them.
std::vector<std::string> lines_of_row(const Table& table, const std::vector<std::string>& cells,
                                      const std::vector<size_t>& widths) {
  std::vector<std::vector<std::string>> all;
  size_t high = 1;
  for (size_t c = 0; c < widths.size(); ++c) {
    all.push_back(lines_in(cells[c], widths[c]));
    high = std::max(high, all.back().size());
  }
  std::vector<std::string> lines(high);
  for (size_t i = 0; i < high; ++i)
    for (size_t c = 0; c < widths.size(); ++c)
      lines[i] +=
          (c == 0 ? "" : "  ") + aligned(i < all[c].size() ? all[c][i] : "", table.columns[c], widths[c]);
  return lines;
}

}  // namespace

std::string title_of(const TableColumn& column) {
  return clean(column.unit.empty() ? column.title : column.title + ", " + column.unit);
}

std::string text_of(const TableCell& cell, const TableColumn& column) {
  if (!cell.text.empty() || std::isnan(cell.number)) return clean(cell.text);
  return format_alone(cell.number,
                      column.unit == "bytes" || column.unit == "s" ? unit_of(column.unit) : Unit());
}

void add_text(TextBlock& text, const Table& table) {
  const size_t rows = std::min(table.rows.size(), kMostRows), margin = table.lit.empty() ? 0 : 2;
  const std::vector<size_t> widths = widths_of(table, rows, text.width - margin);
  std::vector<std::string> head;
  for (const TableColumn& column : table.columns) head.push_back(title_of(column));
  for (const std::string& line : lines_of_row(table, head, widths))
    text.line(text.paint(cut(std::string(margin, ' ') + line, text.width), Ink::kDim));
  for (size_t r = 0; r < rows; ++r) {
    const bool lit = std::ranges::find(table.lit, r) != table.lit.end();
    std::vector<std::string> cells;
    for (size_t c = 0; c < widths.size(); ++c) cells.push_back(text_of(table.rows[r][c], table.columns[c]));
    std::string mark = lit ? "▶ " : "  ";
    for (std::string line : lines_of_row(table, cells, widths)) {
      line = cut(line.substr(0, line.find_last_not_of(' ') + 1), text.width - margin);
      text.line(margin == 0 ? line
                            : std::exchange(mark, "  ") + text.paint(line, lit ? Ink::kAccent : Ink::kText));
    }
  }
  text.more(table.rows.size() - rows, tr("rows"));
}

void add_text(TextBlock& text, const Listing& whole) {
  const Listing shown = std::get<Listing>(thinned(whole, kMostRows).value);
  const size_t first = whole.current.value_or(0) - shown.current.value_or(0);
  size_t code = 0, values = 0;
  for (const SourceLine& line : shown.lines) {
    code = std::max(code, columns(line.text));
    values = std::max(values, columns(clean(line.value)));
  }
  const size_t number = std::to_string(first + shown.lines.size()).size(), room = text.width - number - 5;
  // The code comes first. A value has what is left, and a third in any case; it goes on below itself.
  values = std::min(values, std::max(room - std::min(room, code + 2), room / 3));
  code = std::min(code, room - std::min(room, values + 2));
  if (first > 0) text.line(text.paint(tr("... {} lines above", first), Ink::kDim));
  for (size_t i = 0; i < shown.lines.size(); ++i) {
    const SourceLine& line = shown.lines[i];
    const bool lit = shown.current == i;
    const std::vector<std::string> said = lines_in(clean(line.value), values);
    text.line((lit ? "▶ " : "  ") + pad_left(std::to_string(first + i + 1), number) + "  " +
              text.paint(pad(cut(line.text, code), code), lit ? Ink::kAccent : Ink::kText) + "  " +
              (said.empty() ? "" : cut(said.front(), values)));
    for (size_t below = 1; below < said.size(); ++below)
      text.line(std::string(number + code + 6, ' ') + cut(said[below], values));
  }
  text.more(whole.lines.size() - first - shown.lines.size(), tr("lines"));
}

}  // namespace ringside::figure
