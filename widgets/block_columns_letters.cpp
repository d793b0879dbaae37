// What stands upon the blocks: letters, the slots of their parts, blocks that fall; and the legend below.
#include <algorithm>
#include <array>
#include <cmath>

#include "ringside/lesson/tr.h"
#include "ringside/widgets/block_columns.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

// A text may stand over the edge of its line by what no letter fills.
float letter_height() { return line_height() - px(2); }

// The slots of a block of that height: as wide as they are, 0 where there is no room for them.
float slots_width(const BlockKind& kind, const Rect& r) {
  if (kind.parts < 2 || kind.parts > 16 || r.height() < px(6)) return 0;
  const float each = std::min(px(6), (r.width() * 0.45f - px(4)) / float(kind.parts));
  return each < px(3) ? 0 : std::floor(each) * float(kind.parts);
}

void draw_slots(ImDrawList& list, const Rect& r, const BlockKind& kind, ImU32 ink) {
  const float wide = slots_width(kind, r);
  if (wide <= 0) return;
  const float each = wide / float(kind.parts), half = std::min(px(4), (r.height() - px(2)) / 2);
  const float middle = std::round((r.min.y + r.max.y) / 2), gap = std::max(1.0f, std::floor(each / 5));
  for (int part = 0; part < kind.parts; ++part) {
    const float x = std::round(r.min.x + px(4)) + each * float(part);
    const Rect slot{{x, middle - half}, {x + each - gap, middle + half}};
    if (kind.own < 0 || kind.own == part)
      list.AddRectFilled(slot.min, slot.max, ink);
    else
      list.AddRect(slot.min, slot.max, ink, 0, 0, px(1));
  }
}

ImU32 fill_of(Category category, bool faded) { return fade(colour_of(category), faded ? 0.68f : 0); }

}  // namespace

std::string block_name(const Trace& trace, const BlockId& id) {
  const std::string &unit = trace.name(id.unit), &tensor = trace.name(id.tensor);
  return unit + (unit.empty() || tensor.empty() ? "" : " ") + tensor;
}

// The part of a block that lies under no label; none where a letter does not fit.
std::optional<Rect> BlockColumns::free_part(const Rect& r, float high) const {
  if (r.width() < px(14) || high < letter_height()) return std::nullopt;
  for (const MarkLine& mark : marks_)
    if (!mark.beside && !mark.label.empty() && mark.rect.overlaps(r)) return std::nullopt;
  if (outlined_label_ && outlined_label_->rect.overlaps(r)) return std::nullopt;
  return r;
}

// Upon the lines: a patch in the block's colour lies under the letter where one crosses it.
bool BlockColumns::draw_letter(ImDrawList& list, const Block& block, const BlockColumnsData& data) const {
  const bool hollow = block.light == Light::kOutline || falls(block, data);
  const ImU32 fill = hollow ? colours().background : fill_of(block.id.category, block.light == Light::kFaded);
  const ImU32 ink = hollow || block.id.category == Category::kOther ? colours().dim : text_on(fill);
  const std::optional<Rect> room = free_part(block.rect, block.high);
  if (!room) return false;
  if (!falls(block, data)) draw_slots(list, block.rect, block.kind, ink);
  const std::string letter(letter_of(block.id.category));
  const std::string name =
      block.tensors > 1 ? "" : short_name(data.trace->name(block.id.unit), data.trace->name(block.id.tensor));
  const float slots = slots_width(block.kind, block.rect) + px(6);
  const float wide = room->width() - 2 * slots, line = line_height();
  std::string text = letter + (name.empty() ? "" : " " + name);
  if (text_width(text) > wide) text = letter;
  const float half = text_width(text) / 2;
  const ImVec2 mid(std::round((room->min.x + room->max.x) / 2), std::round((room->min.y + room->max.y) / 2));
  for (const MarkLine& mark : marks_) {
    if (mark.form == Form::kTick || std::abs(mark.y - mid.y) > line / 2) continue;
    list.AddRectFilled({mid.x - half - px(3), std::max(room->min.y, mid.y - line / 2)},
                       {mid.x + half + px(3), std::min(room->max.y, mid.y + line / 2)}, fill);
  }
  draw_text(list, {mid.x - half, mid.y - line / 2}, ink, text);
  return true;
}

// One letter, and one row of slots, for blocks that are too thin for their own.
void BlockColumns::draw_letter_of_all(ImDrawList& list, const Rect& whole, const Block& one, bool same_kind,
                                      const BlockColumnsData& data) const {
  const auto room = free_part(whole, whole.height());
  if (!room || one.id.category == Category::kOther || falls(one, data)) return;
  const ImU32 fill = fill_of(one.id.category, data.highlight.has_value());
  const ImVec2 mid((room->min.x + room->max.x) / 2, (room->min.y + room->max.y) / 2);
  const float half = line_height() / 2, high = std::min(half, whole.height() / 2);
  const float slots = same_kind ? slots_width(one.kind, whole) : 0;
  if (slots > 0) {
    const Rect patch{{whole.min.x, mid.y - high}, {whole.min.x + slots + px(6), mid.y + high}};
    list.AddRectFilled(patch.min, patch.max, fill);
    draw_slots(list, {patch.min, {whole.max.x, patch.max.y}}, one.kind, text_on(fill));
  }
  list.AddRectFilled({mid.x - half, mid.y - high}, {mid.x + half, mid.y + high}, fill);
  draw_text_in(list, {{mid.x - half, mid.y - half}, {mid.x + half, mid.y + half}}, text_on(fill),
               letter_of(one.id.category));
}

void BlockColumns::draw_letters(ImDrawList& list, const std::string& id, const BlockColumnsData& data) const {
  bool lettered = false, same_kind = true;
  for (size_t first = 0, i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const bool is_swept = data.outlined > ranks_ - 1 - block.rank;
    if (!is_swept) lettered = draw_letter(list, block, data) || lettered;
    same_kind = same_kind && block.kind == blocks_[first].kind;
    const Category category = block.id.category;
    const std::string name = id + ".r" + std::to_string(block.rank) + "." + std::string(letter_of(category));
    if (block.light == Light::kLit || block.light == Light::kOutline)
      mark(id + (block.light == Light::kLit ? ".lit.r" : ".hollow.r") + std::to_string(block.rank),
           block.rect.min, block.rect.max);
    if (block.tensors == 1 && block.rect.height() >= px(3))
      mark(name + "." + block_name(*data.trace, block.id), block.rect.min, block.rect.max);
    if (i + 1 < blocks_.size() && blocks_[i + 1].rank == block.rank && blocks_[i + 1].id.category == category)
      continue;
    const Rect whole{block.rect.min, blocks_[first].rect.max};
    mark(name, whole.min, whole.max);
    if (!lettered && !is_swept) draw_letter_of_all(list, whole, block, same_kind, data);
    lettered = false;
    same_kind = true;
    first = i + 1;
  }
}

// Up a little, then over into column 0, where the same bytes lie already.
void BlockColumns::draw_falling(ImDrawList& list, const Layout& layout, const BlockColumnsData& data) const {
  if (data.fallen <= 0) return;
  for (size_t first = 0, i = 0; i < blocks_.size(); ++i) {  // an outline around what was there
    if (!falls(blocks_[i], data)) first = i + 1;
    const bool ends =
        i + 1 == blocks_.size() || !falls(blocks_[i + 1], data) || blocks_[i + 1].rank != blocks_[i].rank;
    if (!falls(blocks_[i], data) || !ends) continue;
    list.AddRect(blocks_[i].rect.min, blocks_[first].rect.max, colours().dim, 0, 0, px(1));
    first = i + 1;
  }
  if (data.fallen >= 1) return;
  const float lift = std::min(1.0f, data.fallen / 0.3f),
              over = std::clamp((data.fallen - 0.3f) / 0.7f, 0.0f, 1.0f);
  const float ease = over * over * (3 - 2 * over), up = px(18) * lift * (1 - ease);
  for (const Block& block : blocks_) {
    if (!falls(block, data)) continue;
    const float left = (layout.column_of(0).min.x - block.rect.min.x) * ease;
    Rect r{{block.rect.min.x + left, block.rect.min.y - up},
           {block.rect.max.x + left, block.rect.max.y - up}};
    if (r.height() >= px(4)) r.min.y += 1;
    list.AddRectFilled(r.min, r.max, colour_of(block.id.category));
  }
}

// Over the outlined columns, below the labels of other lines.
void BlockColumns::place_outlined_label(const Layout& layout, const BlockColumnsData& data) {
  outlined_label_.reset();
  if (data.outlined_label.empty() || ranks_ == 0) return;
  const double columns = data.fallen > 0 ? std::max(1, ranks_ - 1) : std::max(data.outlined, 1.0);
  const float right = layout.column_of(ranks_ - 1).max.x;
  const float left = std::max(layout.plot.min.x, right - layout.slot * float(columns));
  const float room = layout.plot.width() - px(32);
  float highest = layout.plot.max.y;
  for (const Block& block : blocks_) highest = std::min(highest, block.rect.min.y);
  const bool is_large = text_width(Type::kQuestion, data.outlined_label) <= room &&
                        layout.plot.min.y + line_height(Type::kQuestion) + px(8) <= highest;
  const Type type = is_large ? Type::kQuestion : Type::kLabel;
  const std::string text = elide(data.outlined_label, room, type);
  const float half = text_width(type, text) / 2 + px(8), high = line_height(type) + px(4);
  const float middle = std::clamp((left + right) / 2, layout.plot.min.x + half, layout.plot.max.x - half);
  Rect rect{{middle - half, layout.plot.min.y + px(2)}, {middle + half, layout.plot.min.y + px(2) + high}};
  for (const MarkLine& mark : marks_) {
    if (mark.beside || mark.label.empty() || !mark.rect.overlaps(rect)) continue;
    if (const float away = rect.max.x - mark.rect.min.x + px(4); rect.min.x - away >= layout.plot.min.x) {
      rect.min.x -= away;  // beside it, still above the columns
      rect.max.x -= away;
      continue;
    }
    rect.min.y = mark.rect.max.y + px(2);
    rect.max.y = rect.min.y + high;
  }
  outlined_label_ = {text, rect, type};
}

void BlockColumns::draw_outlined_label(ImDrawList& list) const {
  if (!outlined_label_) return;
  const Rect& rect = outlined_label_->rect;
  list.AddRectFilled(rect.min, rect.max, colours().background, px(3));
  draw_text(list, {rect.min.x + px(8), rect.min.y + px(2)}, colours().text, outlined_label_->text,
            outlined_label_->type);
}

// A swatch and a word for each kind; the grey ones where there is enough of them to be seen.
void BlockColumns::draw_legend(ImDrawList& list, const std::string& id, const Layout& layout,
                               const BlockColumnsData& data) const {
  if (layout.legend.height() < line_height() - 1) return;
  struct Entry {
    Category category;
    std::string word;
  };
  std::vector<Entry> entries = {{Category::kParameters, tr("parameters")},
                                {Category::kGradients, tr("gradients")},
                                {Category::kOptimizer, tr("optimizer state")},
                                {Category::kActivations, tr("activations")}};
  if (data.memory != nullptr && ranks_ > 0) {
    int64_t grey = 0;
    for (const Category category : {Category::kBuffers, Category::kOther})
      grey = std::max(grey, data.memory->peak(0, category, INT64_MAX));
    if (layout.plot.max.y - layout.y(double(grey)) >= px(3))
      entries.push_back({Category::kOther, tr("other")});
  }
  const float swatch = px(13), line = line_height(), y = layout.legend.min.y;
  float x = layout.legend.min.x;
  const auto width_of = [&](const Entry& entry) { return swatch + px(5) + text_width(entry.word); };
  float all = -px(16);
  for (const Entry& entry : entries) all += width_of(entry) + px(16);
  const float gap = all > layout.legend.width() ? px(7) : px(16);
  for (const Entry& entry : entries) {
    const Rect box{{x, std::round(y + (line - swatch) / 2)},
                   {x + swatch, std::round(y + (line + swatch) / 2)}};
    const ImU32 fill = colour_of(entry.category);
    if (entry.category == Category::kOther)
      list.AddRect(box.min, box.max, fill, px(2), 0, px(1));
    else
      list.AddRectFilled(box.min, box.max, fill, px(2));
    if (entry.category != Category::kOther) draw_text_in(list, box, text_on(fill), letter_of(entry.category));
    x = box.max.x + px(5);
    const std::string word = elide(entry.word, layout.legend.max.x - x);
    draw_text(list, {x, y}, colours().dim, word);
    x += text_width(entry.word) + gap;
  }
  mark(id + ".legend", layout.legend.min, {x, layout.legend.max.y});
  if (data.kind && ranks_ > 1) draw_slots_legend(list, layout, x + px(12));
}

// What the slots say: one filled is a part of so many, all filled is the whole.
void BlockColumns::draw_slots_legend(ImDrawList& list, const Layout& layout, float x) const {
  const float line = line_height(), y = layout.legend.min.y;
  const std::array<std::pair<BlockKind, std::string>, 2> entries = {
      std::pair(BlockKind{ranks_, 0}, tr("its own part")), {BlockKind{ranks_, -1}, tr("the whole")}};
  for (const auto& [kind, word] : entries) {
    const Rect at{{x, y}, {x + px(8) * float(ranks_) * 2, y + line}};
    const float slots = slots_width(kind, at), right = x + slots + px(8) + text_width(word);
    if (slots <= 0 || right > layout.legend.max.x) return;
    draw_slots(list, at, kind, colours().dim);
    draw_text(list, {x + slots + px(8), y}, colours().dim, word);
    x = right + px(16);
  }
}

}  // namespace ringside::ui
