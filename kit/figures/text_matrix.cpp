// A matrix: its words where they fit, else a shade a cell.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

using State = MatrixCell::State;
constexpr size_t kWidestWord = 16;

std::string sign_of(const MatrixCell& cell) {
  constexpr std::string_view kSigns[] = {"", "·", "=", "≠", "✗"};
  return std::string(kSigns[size_t(cell.state)]);
}

std::string word_of(const MatrixCell& cell, const Unit& unit) {
  if (!cell.word.empty()) return cut(cell.word, kWidestWord);
  return cell.state == State::kValue ? format_alone(cell.value, unit) : sign_of(cell);
}

Ink ink_of_cell(const MatrixCell& cell) {
  if (cell.state == State::kWrong) return Ink::kAlarm;
  return cell.state == State::kEmpty ? Ink::kDim : Ink::kText;
}

// "bytes; rows: from, columns: to"
std::string legend_of(const Matrix& matrix) {
  std::string text = clean(matrix.unit);
  const auto add = [&](const std::string& what, const std::string& name) {
    if (!name.empty()) text += (text.empty() ? "" : "; ") + what + " " + clean(name);
  };
  add(tr("down:"), matrix.row_name);
  add(tr("across:"), matrix.column_name);
  return text;
}

void add_words(TextBlock& text, const Matrix& matrix, const Unit& unit, size_t names,
               const std::vector<size_t>& widths) {
  std::string head(names, ' ');
  for (size_t c = 0; c < widths.size(); ++c)
    head += "  " + pad_left(cut(matrix.columns[c], kWidestWord), widths[c]);
  text.line(head);
  for (size_t r = 0; r < matrix.rows.size(); ++r) {
    std::string row = pad(cut(matrix.rows[r], names), names);
    for (size_t c = 0; c < widths.size(); ++c) {
      const MatrixCell& cell = matrix.cells[r * widths.size() + c];
      row += "  " + text.paint(pad_left(word_of(cell, unit), widths[c]), ink_of_cell(cell));
    }
    text.line(row);
  }
}

// Steps of an axis: the first and the last one say enough. Other columns get a number each, and their names
// are listed below.
bool are_numbers(const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [](const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789.,-+eE ") == std::string::npos;
  });
}

std::string head_of_shades(const Matrix& matrix, size_t names, size_t wide, bool numbered) {
  std::string head(names + 2, ' ');
  if (numbered) {
    for (size_t c = 0; c < matrix.columns.size(); ++c) head += pad(std::to_string(c + 1), wide);
    return head;
  }
  const std::string& last = matrix.columns.back();
  const size_t room = wide * matrix.columns.size(), used = columns(cut(matrix.columns.front(), room));
  return head + cut(matrix.columns.front(), room) +
         (used + 1 + columns(last) <= room ? pad_left(clean(last), room - used) : "");
}

void list_columns(TextBlock& text, const Matrix& matrix, size_t indent) {
  std::vector<std::string> listed;
  for (size_t c = 0; c < matrix.columns.size(); ++c)
    listed.push_back(fmt::format("{} {}", c + 1, clean(matrix.columns[c])));
  text.items(listed, indent);
}

constexpr size_t kMostNumbered = 50;

void add_shades(TextBlock& text, const Matrix& matrix, const Unit& unit, size_t names) {
  const Range range = range_of(matrix);
  const size_t count = matrix.columns.size();
  // A number of two digits and a blank.
  const bool numbered =
      count <= kMostNumbered && 3 * count + names + 2 <= text.width && !are_numbers(matrix.columns);
  const size_t wide = numbered ? 3 : 2 * count + names + 2 <= text.width ? 2 : 1;
  text.line(head_of_shades(matrix, names, wide, numbered));
  for (size_t r = 0; r < matrix.rows.size(); ++r) {
    std::string row = pad(cut(matrix.rows[r], names), names) + "  ";
    for (size_t c = 0; c < count; ++c) {
      const MatrixCell& cell = matrix.cells[r * count + c];
      const bool shaded = cell.state == State::kValue && std::isfinite(cell.value);
      const std::string sign = shaded                  ? std::string(shade_of(position_of(cell.value, range)))
                               : sign_of(cell).empty() ? "?"
                                                       : sign_of(cell);
      row += text.paint(shaded ? repeated(sign, wide) : pad(sign, wide), ink_of_cell(cell));
    }
    text.line(row);
  }
  if (std::ranges::any_of(matrix.cells, [](const auto& c) { return c.state == State::kValue; }))
    text.line(std::string(names + 2, ' ') +
              tr("' ' {}   '█' {}", format_alone(range.low, unit), format_alone(range.high, unit)));
  if (numbered) list_columns(text, matrix, names + 2);
}

void add_states(TextBlock& text, const Matrix& matrix, size_t indent) {
  const std::string words[] = {"", "", tr("= same"), tr("≠ different"), tr("✗ wrong")};
  std::vector<std::string> legend;
  for (const State state : {State::kSame, State::kDifferent, State::kWrong}) {
    const auto has = [&](const MatrixCell& cell) { return cell.state == state && cell.word.empty(); };
    if (std::ranges::any_of(matrix.cells, has)) legend.push_back(words[size_t(state)]);
  }
  text.items(legend, indent);
}

}  // namespace

void add_text(TextBlock& text, const Matrix& whole) {
  size_t names = 0;
  for (const std::string& name : whole.rows) names = std::max(names, columns(clean(name)));
  names = std::min(names, text.width / 4);
  const size_t most =
      std::min(kMostRows, whole.rows.size()) * std::min(text.width - names - 2, whole.columns.size());
  Matrix matrix = whole;
  // Fewer rows and columns until both fit.
  for (size_t allowed = most;
       matrix.rows.size() > kMostRows || matrix.columns.size() + names + 2 > text.width;
       allowed = allowed * 3 / 4)
    matrix = std::get<Matrix>(thinned(whole, allowed).value);
  const Unit unit = unit_of(matrix.unit);
  std::vector<size_t> widths(matrix.columns.size());
  size_t all = names;
  for (size_t c = 0; c < widths.size(); ++c) {
    widths[c] = columns(cut(matrix.columns[c], kWidestWord));
    for (size_t r = 0; r < matrix.rows.size(); ++r)
      widths[c] = std::max(widths[c], columns(word_of(matrix.cells[r * widths.size() + c], unit)));
    all += widths[c] + 2;
  }
  if (const std::string legend = legend_of(matrix); !legend.empty()) text.wrapped(legend, 0);
  all <= text.width ? add_words(text, matrix, unit, names, widths) : add_shades(text, matrix, unit, names);
  add_states(text, matrix, names + 2);
  if (matrix.cells.size() < whole.cells.size())
    text.wrapped(tr("{} x {} cells stand for {} x {}: of each block, the worst one.", matrix.rows.size(),
                    matrix.columns.size(), whole.rows.size(), whole.columns.size()),
                 0);
}

}  // namespace ringside::figure
