// The strokes of the block columns.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/block_columns.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

// The longest of the texts that fits a width; "" where none does.
std::string fitting(std::initializer_list<std::string> texts, float width) {
  for (const std::string& text : texts)
    if (text_width(text) <= width) return text;
  return "";
}

}  // namespace

void BlockColumns::draw_axis(ImDrawList& list, const Layout& layout) const {
  const double tick = bytes_tick(layout.range);
  const int parts = int(std::lround(layout.range / tick));
  const float line = line_height(), high = layout.plot.height() / float(parts);
  const int each = std::clamp(int(std::ceil(2 * line / std::max(high, 1.0f))), 1, parts);
  float lowest = layout.plot.max.y + line;  // of the labels so far
  for (int i = 0; i <= parts; ++i) {
    if (i % each != 0 && i != parts) continue;
    const double bytes = tick * i;
    const float y = layout.y(bytes);
    list.AddLine({layout.plot.min.x, y}, {layout.plot.max.x, y}, i == 0 ? colours().dim : colours().raised,
                 1);
    const std::string label = i == 0 ? "0" : short_bytes(bytes, layout.range);
    const float width = text_width(label), x = layout.plot.min.x - px(kGap) - width;
    if (x < ImGui::GetWindowPos().x || lowest - y < line) continue;
    draw_text(list, {x, y - line / 2}, colours().dim, label);
    lowest = y;
  }
}

// Filled below the cut, the learner's dashed outline above it.
void BlockColumns::draw_block(ImDrawList& list, const Block& block, const BlockColumnsData& data,
                              float cut) const {
  const ImU32 colour = colour_of(block.id.category);
  const ImU32 fill = block.light == Light::kFaded ? fade(colour, 0.68f) : colour;
  Rect r = block.rect;
  if (r.height() >= px(4)) r.min.y += 1;  // a seam above each block
  if (r.height() <= 0) return;
  if (r.min.y < cut && data.outlined > 0) {
    const Rect above{r.min, {r.max.x, std::min(r.max.y, cut)}};
    dashed_rect(list, above, fade(colour, 0.25f), 1.2f);
    r.min.y = cut;
    if (r.height() <= 0) return;
  }
  const bool thin_lined = block.id.category == Category::kOther && r.height() >= px(4);
  if (falls(block, data)) {
    const ImU32 side = fade(colour, 0.4f);
    if (block.high >= px(18)) return list.AddRect(r.min, r.max, side, 0, 0, px(1));
    list.AddLine(r.min, {r.min.x, r.max.y}, side, px(1));
    return list.AddLine({r.max.x - 1, r.min.y}, {r.max.x - 1, r.max.y}, side, px(1));
  }
  if (block.light == Light::kOutline)
    list.AddRect(r.min, r.max, colour, 0, 0, px(1.5f));
  else if (thin_lined)
    list.AddRect(r.min, r.max, fill, 0, 0, px(1));
  else
    list.AddRectFilled(r.min, r.max, fill);
  if (block.light == Light::kLit) list.AddRect(r.min, r.max, colours().text, 0, 0, px(2));
}

void BlockColumns::draw_blocks(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const {
  for (const Block& block : blocks_) draw_block(list, block, data, cut_of(layout, data, block.rank));
}

// Around the column, not through it: only its top crosses the blocks.
void BlockColumns::draw_ghost(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const {
  const int count = std::min<int>(ranks_, int(data.ghost.size()));
  for (int rank = 0; rank < count; ++rank) {
    const Rect column = layout.column_of(rank);
    const float out = std::min(px(5), (layout.slot - layout.column) / 2);
    const float left = column.min.x - out, right = column.max.x + out;
    double base = 0;
    float top = layout.plot.max.y;
    for (const int64_t bytes : data.ghost[size_t(rank)]) {
      base += double(bytes);
      if (top - layout.y(base) < px(1)) continue;
      top = layout.y(base);
      list.AddLine({left, top}, {column.min.x, top}, colours().dim, px(1));
      list.AddLine({column.max.x, top}, {right, top}, colours().dim, px(1));
    }
    if (top < layout.plot.max.y)
      list.AddRect({left, top}, {right, layout.plot.max.y + 1}, colours().dim, 0, 0, px(1));
  }
}

// Labels stand beside the plot where there is room, upon it otherwise; none on another.
void BlockColumns::place_marks(const Layout& layout, const Rect& rect, const BlockColumnsData& data) {
  marks_.clear();
  for (const BytesMark& mark : data.formulas)
    marks_.push_back({layout.y(mark.bytes), mark.label, {}, Form::kTick, false});
  for (const BytesMark& mark : data.guesses)
    marks_.push_back({layout.y(mark.bytes), mark.label, {}, Form::kDashed, false});
  std::optional<float> last;  // columns of one height have one label
  for (const auto& ghost : data.ghost) {
    const double bytes = double(std::accumulate(ghost.begin(), ghost.end(), int64_t{0}));
    const float y = layout.y(bytes);
    if (bytes <= 0 || last == y) continue;
    marks_.push_back({y, last ? "" : data.ghost_label, {}, Form::kOutline, false});
    last = y;
  }
  std::ranges::stable_sort(marks_, [](const auto& a, const auto& b) { return a.y < b.y; });
  const float line = line_height();
  const bool beside = rect.max.x - layout.plot.max.x > px(40);
  float free = beside ? rect.min.y : layout.plot.min.y;  // the first y without a label
  for (MarkLine& mark : marks_) {
    // Upon a small plot only the learner's own label: the others would hide the columns.
    if (!beside && rect.width() < px(360) && mark.form != Form::kDashed) mark.label.clear();
    if (mark.label.empty()) continue;
    const float room = beside ? rect.max.x - layout.plot.max.x - px(12) : layout.plot.width() - px(8);
    mark.label = elide(mark.label, room);
    mark.beside = beside;
    const float width = text_width(mark.label);
    const float x = beside ? layout.plot.max.x + px(12) : layout.plot.max.x - width - px(8);
    const float wish = beside ? mark.y - line / 2 : mark.y - line - px(4);
    const float y = std::round(std::max(wish, free));
    mark.rect = {{x - px(4), y}, {x + width + px(4), y + line}};
    free = y + line + px(1);
    if (mark.rect.max.y > layout.ranks_row.min.y) mark.label.clear();
  }
}

void BlockColumns::draw_marks(ImDrawList& list, const Layout& layout) const {
  for (const MarkLine& mark : marks_) {
    const ImU32 colour = mark.form == Form::kDashed ? colours().text : colours().dim;
    if (mark.form == Form::kDashed) {
      dashed_line(list, {layout.plot.min.x, mark.y}, {layout.plot.max.x, mark.y}, colour, 1.5f);
    } else if (mark.form == Form::kTick) {
      for (int rank = 0; rank < std::max(ranks_, 1); ++rank) {
        const Rect column = layout.column_of(rank);
        const float out = std::min(px(8), (layout.slot - layout.column) / 2);
        list.AddLine({column.min.x - out, mark.y}, {column.min.x, mark.y}, colours().text, px(2));
        list.AddLine({column.max.x, mark.y}, {column.max.x + out, mark.y}, colours().text, px(2));
      }
    }
    if (mark.label.empty()) continue;
    if (mark.beside) {
      const float middle = (mark.rect.min.y + mark.rect.max.y) / 2;
      list.AddLine({layout.plot.max.x, mark.y}, {mark.rect.min.x + px(2), middle}, colour, 1);
    } else {
      list.AddRectFilled(mark.rect.min, mark.rect.max, colours().background, px(3));
    }
    draw_text(list, {mark.rect.min.x + px(4), mark.rect.min.y}, colour, mark.label);
  }
}

void BlockColumns::draw_ranks(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const {
  const float line = line_height();
  if (layout.ranks_row.height() < 2 * line) return;
  for (int rank = 0; rank < ranks_; ++rank) {
    const Rect column = layout.column_of(rank);
    const float width = layout.slot - px(4), middle = (column.min.x + column.max.x) / 2;
    const std::string number = std::to_string(rank),
                      bytes = format_bytes(data.memory->total(rank, data.time_ns));
    const std::string name = fitting({tr("rank {}", rank), "r" + number, number}, width);
    const std::string total = fitting({bytes, bytes.substr(0, bytes.find(' '))}, width);
    const float y = layout.ranks_row.min.y;
    draw_text(list, {middle - text_width(name) / 2, y}, colours().dim, name);
    draw_text(list, {middle - text_width(total) / 2, y + line}, colours().text, total);
  }
}

void BlockColumns::describe(const BlockColumnsData& data, const Block& block, const ImVec2* at) const {
  if (block.tensors > 1)
    return note(tr("{}, {} tensors, {}\nThey are too thin to be drawn one by one.",
                   to_string(block.id.category), block.tensors, format_bytes(double(block.bytes))),
                at);
  note(data.words ? data.words(block.id, block.rank, block.bytes) : block_name(*data.trace, block.id), at);
}

}  // namespace ringside::ui
