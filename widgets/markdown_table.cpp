#include "markdown_page.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ringside/widgets/draw.h"

namespace ringside::ui {
namespace {

using Block = MarkdownBlock;
Type type_of(const Block& cell) { return cell.head ? Type::kBold : Type::kBody; }

}  // namespace

float Page::table(const Block& block, ImVec2 at, float width) {
  const std::vector<float> widths = column_widths(block, width);
  if (widths.empty()) return stacked(block, at, width);
  float y = at.y, right = at.x;
  for (const float w : widths) right += w + 2 * px(kGap);
  for (const Block& r : block.children) {
    y += row(r, {at.x, y + px(2)}, widths) + px(4);
    list_.AddLine({at.x, y}, {right - 2 * px(kGap), y}, colours().line);
    y += 1;
  }
  return y - at.y;
}

float Page::row(const Block& row, ImVec2 at, const std::vector<float>& widths) {
  float height = 0;
  for (size_t c = 0; c < row.children.size(); ++c) {
    const Block& cell = row.children[c];
    const Type type = type_of(cell);
    const Flow lines = flow(pieces_of(cell.runs, document_.links, type), widths[c], type);
    paint(lines, at, widths[c], type, colours().text, cell.align);
    height = std::max(height, lines.height);
    at.x += widths[c] + 2 * px(kGap);
  }
  return height;
}

// Where not even the words fit side by side: below each other, each behind its column's title.
float Page::stacked(const Block& table, ImVec2 at, float width) {
  float y = at.y;
  const Block& head = table.children.front();
  for (size_t r = 1; r < table.children.size(); ++r) {
    const Block& row = table.children[r];
    for (size_t c = 0; c < row.children.size(); ++c) {
      std::vector<TextRun> runs;
      for (TextRun run : head.children[std::min(c, head.children.size() - 1)].runs)
        run.bold = true, runs.push_back(run);
      runs.push_back({" "});
      runs.insert(runs.end(), row.children[c].runs.begin(), row.children[c].runs.end());
      y += words(runs, {at.x, y}, width, Type::kBody, colours().text);
    }
    list_.AddLine({at.x, y + px(3)}, {at.x + width, y + px(3)}, colours().line);
    y += px(kGap);
  }
  return y - at.y;
}

// As wide as their text where there is room; else what lies between that and the longest word is shared. None
// where not even those fit.
std::vector<float> Page::column_widths(const Block& table, float width) const {
  std::vector<float> natural, least;
  for (const Block& row : table.children) {
    natural.resize(std::max(natural.size(), row.children.size()), px(8));
    least.resize(natural.size(), px(8));
    for (size_t c = 0; c < row.children.size(); ++c) {
      const Type type = type_of(row.children[c]);
      const std::vector<Piece> pieces = pieces_of(row.children[c].runs, document_.links, type);
      natural[c] = std::max(natural[c], natural_width(pieces));
      least[c] = std::max(least[c], widest_word(pieces));
    }
  }
  const auto sum = [](const std::vector<float>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0f);
  };
  const float room = width - 2 * px(kGap) * (float(natural.size()) - 1);
  const float most = sum(natural), fewest = sum(least);
  if (most <= room) return natural;
  if (fewest > room && table.children.size() > 1 && !table.children.front().children.empty()) return {};
  for (size_t c = 0; c < natural.size(); ++c) {
    const float share = (room - fewest) * (natural[c] - least[c]) / std::max(most - fewest, 1.0f);
    natural[c] = std::floor(fewest <= room ? least[c] + share : std::max(px(8), room * least[c] / fewest));
  }
  return natural;
}

}  // namespace ringside::ui
