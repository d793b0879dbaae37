// The strokes of the block columns.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ringside/base/units.h"
#include "ringside/widgets/block_columns.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

bool overlap(const Rect& a, const Rect& b) {
  return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

// The longest of the texts that fits a width; "" where none does.
std::string fitting(std::initializer_list<std::string> texts, float width) {
  for (const std::string& text : texts)
    if (text_width(Type::kLabel, text) <= width) return text;
  return "";
}

std::string full_name(const Trace& trace, const BlockId& id) {
  const std::string &unit = trace.name(id.unit), &tensor = trace.name(id.tensor);
  return unit + (unit.empty() || tensor.empty() ? "" : " ") + tensor;
}

}  // namespace

void BlockColumns::draw_axis(ImDrawList& list, const Layout& layout) const {
  // Powers of two fall into quarters, one and a half times them into thirds.
  const bool thirds = std::abs(std::exp2(std::round(std::log2(layout.range))) / layout.range - 1) > 0.1;
  const int parts = layout.plot.height() < px(80) ? 1 : thirds ? 3 : 4;
  const float line = line_height(Type::kLabel);
  for (int i = 0; i <= parts; ++i) {
    const double bytes = layout.range * i / parts;
    const float y = layout.y(bytes);
    list.AddLine({layout.plot.min.x, y}, {layout.plot.max.x, y}, i == 0 ? colours().dim : colours().raised,
                 1);
    const std::string label = i == 0 ? "0" : short_bytes(bytes);
    const float width = text_width(Type::kLabel, label), x = layout.plot.min.x - px(kGap) - width;
    if (x >= ImGui::GetWindowPos().x) draw_text(list, {x, y - line / 2}, colours().dim, label);
  }
}

// The part of a block where a label is crossed by no line and lies under no other label; none where it is
// too small.
std::optional<Rect> BlockColumns::free_part(Rect r) const {
  const float least = line_height(Type::kLabel);
  if (r.width() < px(14)) return std::nullopt;
  for (const MarkLine& mark : marks_) {
    if (!mark.beside && !mark.label.empty() && overlap(mark.rect, r)) return std::nullopt;
    if (mark.form == Form::kTick || mark.y <= r.min.y || mark.y >= r.max.y) continue;
    const bool above = mark.y - r.min.y > r.max.y - mark.y;
    if (above)
      r.max.y = mark.y;
    else
      r.min.y = mark.y;
  }
  return r.height() < least ? std::nullopt : std::optional(r);
}

bool BlockColumns::draw_block(ImDrawList& list, const Block& block, const BlockColumnsData& data) const {
  const bool faded = data.highlight && !block.lit;
  const ImU32 fill = fade(colour_of(block.id.category), faded ? 0.68f : 0);
  Rect r = block.rect;
  if (r.height() >= px(4)) r.min.y += 1;  // a seam above each block
  if (block.id.category == Category::kOther && r.height() >= px(4))
    list.AddRect(r.min, r.max, fill, 0, 0, px(1));
  else if (r.height() > 0)
    list.AddRectFilled(r.min, r.max, fill);
  if (block.lit) list.AddRect(r.min, r.max, colours().text, 0, 0, px(2));

  const std::optional<Rect> room = free_part(r);
  if (!room) return false;
  const std::string letter(letter_of(block.id.category));
  const std::string name =
      block.tensors > 1 ? "" : short_name(data.trace->name(block.id.unit), data.trace->name(block.id.tensor));
  const ImU32 ink = block.id.category == Category::kOther ? colours().dim : text_on(fill);
  draw_text_in(list, *room, ink,
               fitting({letter + (name.empty() ? "" : " ") + name, letter}, r.width() - px(4)));
  return true;
}

void BlockColumns::draw_blocks(ImDrawList& list, const std::string& id, const BlockColumnsData& data) const {
  bool lettered = false;
  for (size_t first = 0, i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    lettered = draw_block(list, block, data) || lettered;
    const Category category = block.id.category;
    const std::string name = id + ".r" + std::to_string(block.rank) + "." + std::string(letter_of(category));
    if (block.tensors == 1 && block.rect.height() >= px(3))
      mark(name + "." + full_name(*data.trace, block.id), block.rect.min, block.rect.max);
    if (i + 1 < blocks_.size() && blocks_[i + 1].rank == block.rank && blocks_[i + 1].id.category == category)
      continue;
    // The whole category: one letter for blocks that are too thin for their own.
    const Rect whole{block.rect.min, blocks_[first].rect.max};
    mark(name, whole.min, whole.max);
    if (const auto room = free_part(whole); !lettered && room && category != Category::kOther) {
      const ImU32 fill = fade(colour_of(category), data.highlight ? 0.68f : 0);
      const ImVec2 mid((room->min.x + room->max.x) / 2, (room->min.y + room->max.y) / 2);
      const float half = line_height(Type::kLabel) / 2;
      list.AddRectFilled({mid.x - half, mid.y - half}, {mid.x + half, mid.y + half}, fill);
      draw_text_in(list, *room, text_on(fill), letter_of(category));
    }
    lettered = false;
    first = i + 1;
  }
}

// Around the column, not through it: only its top crosses the blocks.
void BlockColumns::draw_ghost(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const {
  const int count = std::min<int>(ranks_, static_cast<int>(data.ghost.size()));
  for (int rank = 0; rank < count; ++rank) {
    const Rect column = layout.column_of(rank);
    const float out = std::min(px(5), (layout.slot - layout.column) / 2);
    const float left = column.min.x - out, right = column.max.x + out;
    double base = 0;
    float top = layout.plot.max.y;
    for (const int64_t bytes : data.ghost[static_cast<size_t>(rank)]) {
      base += static_cast<double>(bytes);
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
    const double bytes = static_cast<double>(std::accumulate(ghost.begin(), ghost.end(), int64_t{0}));
    const float y = layout.y(bytes);
    if (bytes <= 0 || last == y) continue;
    marks_.push_back({y, last ? "" : data.ghost_label, {}, Form::kOutline, false});
    last = y;
  }
  std::stable_sort(marks_.begin(), marks_.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
  const float line = line_height(Type::kLabel);
  const bool beside = rect.max.x - layout.plot.max.x > px(40);
  float free = beside ? rect.min.y : layout.plot.min.y;  // the first y without a label
  for (MarkLine& mark : marks_) {
    // Upon a small plot only the learner's own label: the others would hide the columns.
    if (!beside && rect.width() < px(360) && mark.form != Form::kDashed) mark.label.clear();
    if (mark.label.empty()) continue;
    const float room = beside ? rect.max.x - layout.plot.max.x - px(12) : layout.plot.width() - px(8);
    mark.label = elide(mark.label, room, Type::kLabel);
    mark.beside = beside;
    const float width = text_width(Type::kLabel, mark.label);
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
  const float line = line_height(Type::kLabel);
  if (layout.ranks_row.height() < 2 * line) return;
  for (int rank = 0; rank < ranks_; ++rank) {
    const Rect column = layout.column_of(rank);
    const float width = layout.slot - px(4), middle = (column.min.x + column.max.x) / 2;
    const std::string number = std::to_string(rank),
                      bytes = format_bytes(data.memory->total(rank, data.time_ns));
    const std::string name = fitting({"rank " + number, "r" + number, number}, width);
    const std::string total = fitting({bytes, bytes.substr(0, bytes.find(' '))}, width);
    const float y = layout.ranks_row.min.y;
    draw_text(list, {middle - text_width(Type::kLabel, name) / 2, y}, colours().dim, name);
    draw_text(list, {middle - text_width(Type::kLabel, total) / 2, y + line}, colours().text, total);
  }
}

void BlockColumns::describe(const BlockColumnsData& data, const Block& block, const ImVec2* at) const {
  const std::string category(to_string(block.id.category));
  if (block.tensors > 1) {
    note(category + ", " + std::to_string(block.tensors) + " tensors, " +
             format_bytes(static_cast<double>(block.bytes)) + "\ntoo thin to be drawn one by one",
         at);
    return;
  }
  std::string ranks;
  int others = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank == block.rank) continue;
    const auto& held = data.memory->at(rank, block.id.category, data.time_ns);
    const bool too = std::any_of(held.begin(), held.end(), [&](const MemoryHistory::Held& h) {
      return h.unit == block.id.unit && h.tensor == block.id.tensor && h.bytes > 0;
    });
    if (!too) continue;
    ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    ++others;
  }
  const std::string name = full_name(*data.trace, block.id);
  note(
      category + (name.empty() ? "" : ", ") + name + "\n" + format_bytes(static_cast<double>(block.bytes)) +
          " on rank " + std::to_string(block.rank) + "\n" +
          (others == 0 ? "on no other rank now" : (others == 1 ? "also on rank " : "also on ranks ") + ranks),
      at);
}

}  // namespace ringside::ui
