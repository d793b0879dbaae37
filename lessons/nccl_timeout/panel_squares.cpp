// How the squares of the lanes look: filled = completed, outlined = still waiting, dashed = never called.
#include <fmt/format.h>

#include <algorithm>

#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

void draw_form(ImDrawList& list, const ui::Rect& r, CallState state, ImU32 colour) {
  if (state == CallState::kCompleted) return list.AddRectFilled(r.min, r.max, colour, px(3));
  list.AddRectFilled(r.min, r.max, ui::colours().background, px(3));
  list.AddRect({r.min.x + px(1), r.min.y + px(1)}, {r.max.x - px(1), r.max.y - px(1)}, colour, px(3), 0,
               px(2));
  if (state == CallState::kScheduled) return;
  // What waits for others has begun: a smaller filled square; what was given up: a cross.
  const float side = std::min(px(8), r.height() - px(8)), y = (r.min.y + r.max.y) / 2;
  if (r.width() < side + px(10) || side <= 0) return;
  const ui::Rect inner{{r.min.x + px(5), y - side / 2}, {r.min.x + px(5) + side, y + side / 2}};
  if (state == CallState::kStarted) return list.AddRectFilled(inner.min, inner.max, colour);
  list.AddLine(inner.min, inner.max, ui::colours().text, px(1.5f));
  list.AddLine({inner.min.x, inner.max.y}, {inner.max.x, inner.min.y}, ui::colours().text, px(1.5f));
}

void draw_hole(ImDrawList& list, const ui::Rect& r, bool never) {
  ui::dashed_rect(list, {{r.min.x + 1, r.min.y + 1}, {r.max.x - 1, r.max.y - 1}},
                  never ? ui::colours().alarm : ui::colours().dim, never ? 2 : 1);
}

// What it carries, as long as that is no question.
ImU32 fill_of(const Call& call, const LanesData& data) {
  return data.tags ? ui::colour_of_tag(data.trace->name(call.tag)) : ui::colours().other;
}

bool overlap(const ui::Rect& a, const ui::Rect& b) {
  return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

// The first of these texts that fits.
std::string fitting(std::initializer_list<std::string> texts, float width) {
  for (const std::string& text : texts) {
    if (ui::text_width(Type::kLabel, text) <= width) return text;
  }
  return "";
}

}  // namespace

void Lanes::draw_heads(ImDrawList& list, const ui::Rect& rect, const Layout& layout,
                       const LanesData& data) const {
  for (size_t lane = 0; lane < layout.ranks.size(); ++lane) {
    const int rank = layout.ranks[lane];
    const float y = layout.top + layout.lane * static_cast<float>(lane);
    const ui::Rect label{{rect.min.x + px(4), y}, {rect.min.x + layout.label - px(4), y + layout.lane}};
    const bool logs = rank == data.logger;
    ui::draw_text_in(list, label, ui::colours().text, fmt::format("{}rank {}", logs ? "▸ " : "   ", rank),
                     Type::kBody, false);
    ui::mark(fmt::format("lane.{}", rank), {rect.min.x, y}, {rect.max.x, y + layout.lane});
    if (lane > 0) list.AddLine({rect.min.x, y}, {rect.max.x, y}, ui::colours().line);
    if (!data.gone.contains(rank)) continue;
    const ui::Rect room{{rect.min.x + layout.label, y}, {rect.max.x, y + layout.lane}};
    draw_hole(list, {{room.min.x, room.min.y + px(2)}, {room.max.x, room.max.y - px(2)}}, true);
    ui::draw_text_in(list, room, ui::colours().text, tr("✗ no dump: this process is gone"));
  }
  for (const Block& block : layout.blocks) draw_group(list, rect, layout, block, data);
}

// "group dp: gradients", and below it the numbers. By time a group is a row of every lane, and the axis is
// one for all: how much time it is stands below the titles.
void Lanes::draw_group(ImDrawList& list, const ui::Rect& rect, const Layout& layout, const Block& block,
                       const LanesData& data) const {
  const float line = ui::line_height(Type::kLabel), below = rect.min.y + line + px(2);
  std::set<std::string> tags;
  for (const Square& square : squares_) {
    if (square.place.group == block.group && square.call != nullptr)
      tags.insert(data.trace->name(square.call->tag));
  }
  std::string carries;
  for (const std::string& tag : tags) {
    if (!tag.empty() && data.tags) carries += (carries.empty() ? "" : ", ") + tag;
  }
  const bool in_rows = slide_ > 0.5f;
  const std::string& group = data.index->groups()[block.group];
  std::string title = carries.empty() ? tr("group {}", group) : tr("group {}: {}", group, carries);
  if (in_rows && layout.blocks.size() == 2)
    title = block.group == 0 ? tr("upper row: {}", title) : tr("lower row: {}", title);
  else if (in_rows && layout.blocks.size() > 2)
    title = tr("row {}: {}", block.group + 1, title);
  ui::draw_text_in(list, {{block.rect.min.x, rect.min.y}, {block.rect.max.x, rect.min.y + line}},
                   ui::colours().text, title, Type::kLabel, false);
  if (!in_rows) return draw_numbers(list, layout, block, below);
  if (block.group > 0) return;
  const auto span = static_cast<double>(layout.until_ns - layout.from_ns) * 1e-9;
  ui::draw_text_in(list, {{layout.all.min.x, below}, {layout.all.max.x, below + line}}, ui::colours().dim,
                   tr("time, {} from left to right", format_duration(span)), Type::kLabel, false);
}

void Lanes::draw_numbers(ImDrawList& list, const Layout& layout, const Block& block, float y) const {
  const float column = block.rect.width() / static_cast<float>(layout.columns);
  for (int64_t seq = block.first; seq <= block.last; ++seq) {
    const float left = block.rect.min.x + column * static_cast<float>(seq - block.first);
    ui::draw_text_in(list, {{left, y}, {left + column, y + ui::line_height(Type::kLabel)}}, ui::colours().dim,
                     fmt::format("#{}", seq));
  }
}

void Lanes::draw_square(ImDrawList& list, const Square& square, const LanesData& data) const {
  const ui::Rect& r = square.rect;
  if (square.call == nullptr) {
    draw_hole(list, r, square.hole->never && square.hole->first);
  } else {
    draw_form(list, r, square.call->at(data.time_ns), fill_of(*square.call, data));
  }
  if (is_struck(square.place, data)) {
    list.AddRect({r.min.x - px(1), r.min.y - px(1)}, {r.max.x + px(1), r.max.y + px(1)}, ui::colours().alarm,
                 px(3), 0, px(3));
    ui::mark("struck", r.min, r.max);
  }
  if (chosen_ == square.place || (focused_ && cursor_ == square.place))
    list.AddRect({r.min.x - px(2), r.min.y - px(2)}, {r.max.x + px(2), r.max.y + px(2)},
                 chosen_ == square.place ? ui::colours().text : ui::colours().accent, px(3), 0, px(1.5f));
  ui::mark(
      fmt::format("{}.{}#{}", square.place.rank, data.index->groups()[square.place.group], square.place.seq),
      r.min, r.max);
}

void Lanes::label_square(ImDrawList& list, const Square& square, const ui::Rect& room,
                         const LanesData& data) const {
  if (room.height() < ui::line_height(Type::kLabel) - px(4)) return;
  const float width = room.width() - px(6);
  if (square.call == nullptr) {
    const bool missing = square.hole->never && square.hole->first;
    const std::string text = missing              ? fitting({"✗ missing", "missing", "✗"}, width)
                             : square.hole->never ? fitting({"nor this", "╎"}, width)
                                                  : fitting({"not yet", "…"}, width);
    return ui::draw_text_in(list, room, missing ? ui::colours().text : ui::colours().dim, text);
  }
  const CallState state = square.call->at(data.time_ns);
  const std::string code(ui::code_of(square.call->op));
  if (state == CallState::kCompleted) {
    const ImU32 fill = fill_of(*square.call, data);
    if (is_struck(square.place, data))
      return ui::draw_text_in(list, room, ui::text_on(fill), fitting({tr("✗ fault"), "✗"}, width));
    const std::string number = fmt::format("#{} {}", square.place.seq, code);
    const std::string text = slide_ > 0.5f ? fitting({number, code}, width) : fitting({code}, width);
    return ui::draw_text_in(list, room, ui::text_on(fill), text);
  }
  const float inner = state == CallState::kScheduled ? 0 : px(12);
  const std::string waited = waited_words(square.call->waited_ns(data.time_ns));
  const std::string text = fitting({code + " " + waited, waited, code}, width - inner);
  ui::draw_text_in(list, {{room.min.x + inner, room.min.y}, room.max}, ui::colours().text, text);
}

// By time squares may lie over each other: what is written goes where no other one begins, from the left.
void Lanes::label_squares(ImDrawList& list, const LanesData& data) const {
  for (size_t i = 0; i < squares_.size(); ++i) {
    ui::Rect room = squares_[i].rect;
    if (slide_ > 0) {
      for (size_t j = 0; j < squares_.size(); ++j) {
        const Square& other = squares_[j];
        if (j == i || other.place.rank != squares_[i].place.rank) continue;
        if (other.place.group != squares_[i].place.group) {  // on their way to their rows they may cross
          if (overlap(other.rect, squares_[i].rect)) room.max.x = room.min.x;
          continue;
        }
        if (j > i && other.rect.min.x < room.max.x) room.max.x = std::max(room.min.x, other.rect.min.x);
        if (j < i && other.rect.max.x > room.min.x && other.rect.min.x <= room.min.x)
          room.min.x = std::min(room.max.x, other.rect.max.x);
      }
    }
    label_square(list, squares_[i], room, data);
  }
}

void draw_legend() {
  struct Entry {
    CallState state;
    const char* word;
  };
  constexpr Entry kEntries[] = {{CallState::kCompleted, "completed"},
                                {CallState::kScheduled, "scheduled"},
                                {CallState::kStarted, "started, waits"},
                                {CallState::kGivenUp, "given up"},
                                {CallState::kNotYet, "never called"}};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ui::line_height(Type::kLabel), side = line + px(2);
  bool first = true;
  for (const Entry& entry : kEntries) {
    const float width = side + px(4) + ui::text_width(Type::kLabel, entry.word);
    if (!first) ui::beside(width, 12);
    first = false;
    ImVec2 at = ImGui::GetCursorScreenPos();
    at.y += px(3);  // as high as the buttons beside it
    const ui::Rect box{{at.x, at.y}, {at.x + side, at.y + line}};
    if (entry.state == CallState::kNotYet)
      draw_hole(list, box, true);
    else
      draw_form(list, box, entry.state, ui::colours().dim);
    ui::draw_text(list, {at.x + side + px(4), at.y}, ui::colours().dim, entry.word);
    ImGui::Dummy({width, line + px(6)});
  }
}

}  // namespace ringside::nccl_panel
