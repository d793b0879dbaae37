// What stands where, and what mouse and keys do to it; the strokes are in block_columns_draw.cpp.
#include "ringside/widgets/block_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::ui {
namespace {

constexpr std::array<Category, kCategoryCount> kFromBottom = {Category::kParameters, Category::kGradients,
                                                              Category::kOptimizer,  Category::kActivations,
                                                              Category::kBuffers,    Category::kOther};

}  // namespace

double bytes_tick(double end) { return std::exp2(std::floor(std::log2(std::max(end, 64.0)))) / 4; }

double round_bytes_up(double bytes) {
  if (!(bytes > 64)) return 64;
  const double tick = bytes_tick(bytes);
  return tick * std::ceil(bytes / tick * (1 - 1e-9));
}

std::string short_bytes(double bytes, double like) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (double size = like > 0 ? like : bytes; size >= 1024 && unit + 1 < std::size(kUnits); size /= 1024)
    ++unit;
  std::string text = fmt::format("{:.2f}", bytes / std::pow(1024.0, double(unit)));
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + " " + kUnits[unit];
}

float BlockColumns::Layout::y(double bytes) const {
  const double share = range > 0 ? std::clamp(bytes / range, 0.0, 1.0) : 0;
  return std::round(plot.max.y - float(share) * plot.height());
}

Rect BlockColumns::Layout::column_of(int rank) const {
  const float left = std::round(plot.min.x + slot * float(rank) + (slot - column) / 2);
  return {{left, plot.min.y}, {left + std::round(column), plot.max.y}};
}

BlockColumns::Layout BlockColumns::lay_out(const Rect& rect, const BlockColumnsData& data) const {
  const float line = line_height(), gap = px(4);
  Layout layout{};
  layout.range = round_bytes_up(data.range_bytes);
  const float axis = rect.width() < px(160) ? px(4) : text_width("999 MiB") + px(kGap);
  float right = px(4);
  if (rect.width() >= px(640)) {
    float wide = data.ghost.empty() ? 0 : text_width(data.ghost_label);
    for (const auto* marks : {&data.formulas, &data.guesses})
      for (const BytesMark& mark : *marks) wide = std::max(wide, text_width(mark.label));
    // In coarse steps, so that columns stand still while a label's figures change.
    if (wide > 0) right = std::min(std::ceil((wide + px(16)) / px(24)) * px(24), rect.width() * 0.3f);
  }
  const bool band = rect.height() >= px(200);
  const float legend = rect.height() < px(116) || rect.width() < px(200) ? 0 : line + gap;
  const float below = rect.height() < px(90) ? 0 : 2 * line + gap + legend;
  layout.band = {{rect.min.x + axis, rect.min.y}, {rect.max.x - right, rect.min.y + (band ? px(60) : 0)}};
  layout.plot = {
      {layout.band.min.x, layout.band.max.y + line / 2},
      {layout.band.max.x, std::max(rect.max.y - below - gap, layout.band.max.y + line / 2 + px(4))}};
  layout.ranks_row = {{layout.plot.min.x, layout.plot.max.y + gap}, {layout.plot.max.x, rect.max.y - legend}};
  layout.legend = {{rect.min.x + px(4), layout.ranks_row.max.y + (legend > 0 ? gap : 0)},
                   {rect.max.x - px(4), rect.max.y}};
  layout.slot = layout.plot.width() / float(std::max(ranks_, 1));
  layout.column = std::max(px(4), std::min(layout.slot * 0.78f, px(168)));
  return layout;
}

BlockColumns::Light BlockColumns::light_of(const BlockColumnsData& data, const BlockId& id, int rank,
                                           const BlockKind& kind) {
  if (!data.highlight) return Light::kPlain;
  if (*data.highlight != id) return Light::kFaded;
  const bool chosen = data.highlight_rank < 0 || data.highlight_rank == rank;
  if (chosen || !data.kind || kind.same == BlockKind::Same::kEqual) return Light::kLit;
  return kind.same == BlockKind::Same::kDifferent ? Light::kOutline : Light::kPlain;
}

void BlockColumns::collect(const BlockColumnsData& data, const Layout& layout) {
  blocks_.clear();
  for (int rank = 0; rank < ranks_; ++rank) {
    double base = 0;
    for (const Category category : kFromBottom) collect(data, layout, rank, category, base);
  }
}

void BlockColumns::collect(const BlockColumnsData& data, const Layout& layout, int rank, Category category,
                           double& base) {
  const float thin = px(3);
  const Rect column = layout.column_of(rank);
  bool open = false;  // the last block is thin, and its neighbours may join it
  for (const MemoryHistory::Held& held : data.memory->at(rank, category, data.time_ns)) {
    if (held.bytes <= 0) continue;
    const float bottom = layout.y(base);
    base += double(held.bytes);
    const float top = layout.y(base);
    const BlockId id{category, held.unit, held.tensor};
    const BlockKind kind = data.kind ? data.kind(id, rank, held.bytes) : BlockKind{};
    const Light light = light_of(data, id, rank, kind);
    const float high = layout.plot.height() * float(double(held.bytes) / layout.range);
    const bool is_thin = high < thin;
    if (open && is_thin) {
      Block& last = blocks_.back();
      last.rect.min.y = top;
      last.bytes += held.bytes;
      last.high += high;
      if (light == Light::kLit || last.light == Light::kFaded) last.light = light;
      if (kind != last.kind) last.kind = {};
      ++last.tensors;
      continue;
    }
    blocks_.push_back(
        {rank, id, {{column.min.x, top}, {column.max.x, bottom}}, high, held.bytes, 1, light, kind});
    open = is_thin;
  }
}

// Above it the learner's outline stands in the column's place.
float BlockColumns::cut_of(const Layout& layout, const BlockColumnsData& data, int rank) const {
  const double share = std::clamp(data.outlined - (ranks_ - 1 - rank), 0.0, 1.0);
  if (share <= 0 || data.memory == nullptr) return layout.plot.min.y;
  return layout.y((1 - share) * double(data.memory->total(rank, data.time_ns)));
}

bool BlockColumns::falls(const Block& block, const BlockColumnsData& data) const {
  return data.fallen > 0 && block.rank > 0 && block.kind.same == BlockKind::Same::kEqual;
}

const BlockColumns::Block* BlockColumns::block_at(ImVec2 point) const {
  for (const Block& block : blocks_)
    if (block.rect.contains(point)) return &block;
  return nullptr;
}

// Along a column by one block; to another rank, to the same block or the nearest at its height.
void BlockColumns::move(int columns, int rows) {
  if (blocks_.empty()) return;
  if (!cursor_) {
    cursor_ = 0;
  } else if (rows != 0) {
    const size_t next = rows > 0 ? *cursor_ + 1 : *cursor_ - 1;
    if (next < blocks_.size() && blocks_[next].rank == blocks_[*cursor_].rank) cursor_ = next;
  } else {
    const Block& from = blocks_[*cursor_];
    const float y = (from.rect.min.y + from.rect.max.y) / 2;
    float nearest = INFINITY;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const Block& block = blocks_[i];
      if (block.rank != from.rank + columns) continue;
      float away = std::abs((block.rect.min.y + block.rect.max.y) / 2 - y);
      if (block.id == from.id) away = -1;
      if (away < nearest) nearest = away, cursor_ = i;
    }
  }
  cursor_rank_ = blocks_[*cursor_].rank;
  cursor_id_ = blocks_[*cursor_].id;
}

void BlockColumns::take_keys(BlockColumnsEvents& events) {
  const auto step = [&](Key key, int columns, int rows) {
    if (!pressed({key}, true)) return;
    by_keys_ = true;
    move(columns, rows);
  };
  step(Key::kLeft, -1, 0);
  step(Key::kRight, 1, 0);
  step(Key::kUp, 0, 1);
  step(Key::kDown, 0, -1);
  if (pressed({Key::kEnter}) && cursor_) {
    events.clicked = blocks_[*cursor_].id;
    events.clicked_rank = blocks_[*cursor_].rank;
  }
  if (pressed({Key::kEscape})) {
    events.cleared = true;
    cursor_.reset();
    by_keys_ = false;
  }
}

// Blocks come and go under the keyboard's block as time moves.
void BlockColumns::find_cursor() {
  if (!cursor_) return;
  const auto same = [&](const Block& b) { return b.rank == cursor_rank_ && b.id == cursor_id_; };
  const auto found = std::ranges::find_if(blocks_, same);
  cursor_.reset();
  if (found != blocks_.end()) cursor_ = size_t(found - blocks_.begin());
}

// One column is swept more or less; Up and Down change it by a hundredth of all.
void BlockColumns::sweep_by_keys(const BlockColumnsData& data, BlockColumnsEvents& events) const {
  const double now = std::clamp(data.outlined, 0.0, double(ranks_)), small = ranks_ / 100.0;
  const auto to = [&](double columns) { events.swept = std::clamp(columns, 0.0, double(ranks_)); };
  if (pressed({Key::kLeft}, true)) to(std::floor(now + 1e-6) + 1);
  if (pressed({Key::kRight}, true)) to(std::ceil(now - 1e-6) - 1);
  if (pressed({Key::kUp}, true)) to(now + small);
  if (pressed({Key::kDown}, true)) to(now - small);
  if (pressed({Key::kHome})) to(ranks_);
  if (pressed({Key::kEnd})) to(0);
  events.entered = pressed({Key::kEnter});
}

// Between two columns the mouse rests on whole ones.
void BlockColumns::sweep_by_mouse(const Canvas& canvas, const Layout& layout, BlockColumnsEvents& events) {
  const ImVec2 mouse = canvas.mouse();
  const bool inside = mouse.y >= layout.band.min.y && mouse.y < layout.legend.min.y;
  if (canvas.hovered() && inside) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (canvas.clicked() && inside && mouse.x >= layout.plot.min.x && mouse.x <= layout.plot.max.x)
    sweeping_ = true;
  if (!ImGui::IsMouseDown(0)) sweeping_ = false;
  if (!sweeping_ || !ImGui::IsMousePosValid()) return;
  double swept = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    const Rect column = layout.column_of(rank);
    swept += std::clamp((column.max.x - mouse.x) / column.width(), 0.0f, 1.0f);
  }
  events.swept = swept;
}

void BlockColumns::point(const Canvas& canvas, const Block* under, BlockColumnsEvents& events) {
  if (under != nullptr) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!canvas.clicked()) return;
  by_keys_ = false;
  events.cleared = under == nullptr;
  if (under == nullptr) return;
  events.clicked = under->id;
  events.clicked_rank = cursor_rank_ = under->rank;
  cursor_id_ = under->id;
  cursor_ = size_t(under - blocks_.data());
}

BlockColumnsEvents BlockColumns::draw(const std::string& id, ImVec2 size, const BlockColumnsData& data) {
  const Canvas canvas(id, size, focus_next_);
  focus_next_ = false;
  ranks_ = data.memory != nullptr ? data.memory->ranks() : 0;
  const Layout layout = lay_out(canvas.rect(), data);
  collect(data, layout);
  find_cursor();
  BlockColumnsEvents events;
  const Block* under = canvas.hovered() && !data.sweeps ? block_at(canvas.mouse()) : nullptr;
  if (data.sweeps) {
    if (canvas.focused()) sweep_by_keys(data, events);
    sweep_by_mouse(canvas, layout, events);
  } else {
    if (canvas.focused()) take_keys(events);
    point(canvas, under, events);
  }

  ImDrawList& list = canvas.list();
  place_marks(layout, canvas.rect(), data);
  place_outlined_label(layout, data);
  draw_axis(list, layout);
  draw_blocks(list, layout, data);
  draw_ghost(list, layout, data);
  draw_marks(list, layout);
  draw_letters(list, id, data);
  draw_falling(list, layout, data);
  draw_outlined_label(list);
  draw_ranks(list, layout, data);
  draw_legend(list, id, layout, data);
  draw_flights(list, layout, data.flights);
  if (canvas.focused() && by_keys_ && cursor_ && !data.sweeps) {
    const Rect& r = blocks_[*cursor_].rect;
    list.AddRect({r.min.x - px(1), r.min.y - px(1)}, {r.max.x + px(1), r.max.y + px(1)}, colours().text, 0, 0,
                 px(2));
    const ImVec2 beside(r.max.x + px(4), r.min.y);
    if (under == nullptr) describe(data, blocks_[*cursor_], &beside);
  }
  if (under != nullptr) describe(data, *under);
  return events;
}

}  // namespace ringside::ui
