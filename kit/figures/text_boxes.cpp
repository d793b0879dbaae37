// Rows of cells: as wide as they are, with their texts; a letter each where there are too many.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

double width_of(const BoxRow& row) {
  return std::accumulate(row.boxes.begin(), row.boxes.end(), 0.0,
                         [](double sum, const Box& box) { return sum + box.width; });
}

// Columns a unit of width has: as many as the texts need, if they fit.
double scale_of(const Boxes& boxes, double room) {
  double widest = 0, wanted = 0;
  bool letters = false;  // a box a letter
  for (const BoxRow& row : boxes.rows) {
    widest = std::max(widest, width_of(row));
    for (const Box& box : row.boxes) {
      const size_t wide = columns(clean(box.text));
      wanted = std::max(wanted, double(wide + 4) / box.width);
      letters = letters || (box.width == 1 && wide == 1);
    }
  }
  const double scale = widest == 0 ? 1 : std::min(std::max(wanted, 2.0 / widest), room / widest);
  return scale < (letters ? 1 : 2) ? scale : std::floor(scale);  // so that equal boxes look equal
}

std::string in_cell(const Box& box, size_t wide) {
  const std::string text = cut(box.text, wide);
  const std::string fill(box.filled ? fill_of(box.ink) : " ");
  const size_t left = wide - columns(text);
  const bool alone = text.empty();
  if (alone || left < 2) return text + repeated(alone ? fill : " ", left);
  return text + " " + repeated(fill, left - 1);
}

// "│a ██│b ██│", or "abab" where a box has less than two columns.
std::string row_line(const TextBlock& text, const BoxRow& row, double scale) {
  std::string line;
  double at = 0;
  bool blank = true;  // the box before
  const bool open = row.boxes.empty() || std::ranges::all_of(row.boxes, [&](const Box& box) {
                      return std::floor(box.width * scale + 1e-9) >= 2;
                    });
  for (const Box& box : row.boxes) {
    const auto from = size_t(std::lround(at * scale));
    at += box.width;
    const size_t wide = std::max<size_t>(1, size_t(std::lround(at * scale)) - from);
    // A blank box has no edge of its own, and its text may need the column.
    const bool edge = !box.blank || !blank, fills = columns(clean(box.text)) >= wide;
    const std::string start = !open || (!edge && fills) ? "" : edge ? "│" : " ";
    line += start + text.paint(in_cell(box, wide - columns(start)), box.ink);
    blank = box.blank;
  }
  return open && !blank ? line + "│" : line;
}

// A letter a box, broken into lines.
void add_dense(TextBlock& text, const BoxRow& row, size_t names, size_t room) {
  std::string line;
  for (size_t i = 0; i < row.boxes.size(); ++i) {
    const Box& box = row.boxes[i];
    const std::string letter =
        box.text.empty() ? std::string(box.filled ? fill_of(box.ink) : "·") : cut(box.text, 1);
    line +=
        text.paint(letter == "…" ? clean(box.text.substr(0, first_letter(box.text).bytes)) : letter, box.ink);
    if ((i + 1) % room != 0 && i + 1 != row.boxes.size()) continue;
    text.line(pad(i < room ? cut(row.name, names) : "", names) + "  " + std::exchange(line, ""));
    if (i + 1 >= 8 * room) return text.more(row.boxes.size() - i - 1, tr("boxes of this row"));
  }
  if (!row.word.empty()) text.wrapped(clean(row.word), names + 2);
}

std::string place_name(const Boxes& boxes, const BoxPlace& place) {
  const BoxRow& row = boxes.rows[place.row];
  const std::string text = cut(row.boxes[place.box].text, 20),
                    box = text.empty() ? tr("box {}", place.box) : text;
  return row.name.empty() ? box : cut(row.name, 24) + " " + box;
}

}  // namespace

void add_text(TextBlock& text, const Boxes& boxes) {
  size_t names = 0, words = 0;
  for (const BoxRow& row : boxes.rows) {
    names = std::max(names, columns(cut(row.name, text.width / 4)));
    words = std::max(words, columns(cut(row.word, text.width / 3)));
  }
  const size_t room = text.width - names - 2 - (words > 0 ? words + 3 : 1);
  const double scale = scale_of(boxes, double(room));
  const size_t shown = std::min(boxes.rows.size(), kMostRows);
  for (size_t i = 0; i < shown; ++i) {
    const BoxRow& row = boxes.rows[i];
    const double least = row.boxes.empty() ? 1 : std::ranges::min_element(row.boxes, [](auto& a, auto& b) {
                                                   return a.width < b.width;
                                                 })->width;
    if (least * scale < 1 || row.boxes.size() > room) {
      add_dense(text, row, names, room);
      continue;
    }
    text.line(pad(cut(row.name, names), names) + "  " + row_line(text, row, scale) +
              (row.word.empty() ? "" : "  " + cut(row.word, words)));
  }
  text.more(boxes.rows.size() - shown, tr("rows"));
  const size_t links = std::min(boxes.links.size(), kMostNotes);
  for (size_t i = 0; i < links; ++i) {
    const BoxLink& link = boxes.links[i];
    text.wrapped(place_name(boxes, link.from) + " → " + place_name(boxes, link.to) +
                     (link.name.empty() ? "" : ": " + clean(link.name)),
                 names + 2);
  }
  text.more(boxes.links.size() - links, tr("links"));
}

}  // namespace ringside::figure
