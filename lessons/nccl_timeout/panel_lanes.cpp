// Where the squares of the lanes lie: by sequence number, by time, or on the way from one to the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

constexpr int kMostColumns = 8;

float heads_height() { return 2 * ui::line_height(Type::kLabel) + px(6); }

float between(float a, float b, float part) { return a + (b - a) * part; }

std::string state_words(const Call& call, int64_t time_ns) {
  const std::string waited = waited_words(call.waited_ns(time_ns));
  switch (call.at(time_ns)) {
    case CallState::kCompleted:
      return tr("completed in {}", waited);
    case CallState::kGivenUp:
      return tr("given up after {}", waited);
    case CallState::kStarted:
      return tr("started, has waited {}", waited);
    default:
      return tr("scheduled, has waited {}", waited);
  }
}

}  // namespace

float Lanes::least_height(int lanes, size_t groups) const {
  return heads_height() + static_cast<float>(lanes) * px(by_time && groups > 1 ? 30 : 24);
}
float Lanes::most_height(int lanes) { return heads_height() + static_cast<float>(lanes) * px(42); }

Lanes::Layout Lanes::lay_out(const ui::Rect& rect, const LanesData& data) const {
  Layout layout;
  for (int rank = 0; rank < data.index->ranks(); ++rank) {
    if (data.only_rank < 0 || rank == data.only_rank) layout.ranks.push_back(rank);
  }
  layout.label = ui::text_width(Type::kBody, "▸ rank 0") + px(12);
  layout.top = rect.min.y + heads_height();
  const auto lanes = static_cast<float>(std::max<size_t>(layout.ranks.size(), 1));
  layout.lane = std::clamp((rect.max.y - layout.top) / lanes, px(18), px(42));
  const auto groups = static_cast<float>(std::max<size_t>(data.index->groups().size(), 1));
  const float gap = px(16), room = rect.width() - layout.label - gap * (groups - 1);
  const float width = std::max(px(60), room / groups);
  layout.columns = std::clamp(static_cast<int>(width / px(60)), 2, kMostColumns);
  for (size_t group = 0; group < data.index->groups().size(); ++group) {
    const float left = rect.min.x + layout.label + (width + gap) * static_cast<float>(group);
    Block block{group, {{left, layout.top}, {left + width, layout.top + layout.lane * lanes}}};
    block.last = data.index->top(group, data.time_ns, data.only_rank);
    // What hangs stays in sight, however much is queued behind it.
    for (const int rank : layout.ranks) {
      const Call* open = data.index->first_open(rank, group, data.time_ns);
      if (open != nullptr) block.last = std::min(block.last, open->seq + layout.columns / 3);
    }
    for (const nccl_lesson::StruckCall& one : data.struck)
      if (one.group == data.index->groups()[group] && one.call <= block.last)
        block.last = std::min(block.last, one.call + layout.columns / 2);
    block.first = std::max<int64_t>(0, block.last - layout.columns + 1);
    layout.blocks.push_back(block);
  }
  layout.all = {{rect.min.x + layout.label, layout.top},
                {layout.blocks.empty() ? rect.max.x : layout.blocks.back().rect.max.x,
                 layout.top + layout.lane * lanes}};
  set_times(layout, data);
  return layout;
}

// From the first call that is shown to a while after the last one. What still
// waits then runs on to the edge.
void Lanes::set_times(Layout& layout, const LanesData& data) const {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Block& block : layout.blocks) {
    for (const int rank : layout.ranks) {
      for (int64_t seq = block.first; seq <= block.last; ++seq) {
        const Call* call = data.index->find(rank, block.group, seq);
        if (call == nullptr || call->created_ns > data.time_ns) continue;
        first = std::min(first, call->created_ns);
        last = std::max(last, call->created_ns);
      }
    }
  }
  if (first > last) first = last = data.time_ns;
  const int64_t span = std::max<int64_t>(last - first, 1000);
  layout.from_ns = first;
  layout.until_ns = last + span * 2 / 5;
}

ui::Rect Lanes::rect_of(const Layout& layout, const Block& block, size_t lane, int64_t seq, const Call* call,
                        int64_t time_ns) const {
  const float column = block.rect.width() / static_cast<float>(layout.columns);
  const float y = layout.top + layout.lane * static_cast<float>(lane);
  const float left = block.rect.min.x + column * static_cast<float>(seq - block.first);
  const ui::Rect by_seq{{left + px(2), y + px(2)}, {left + column - px(2), y + layout.lane - px(2)}};
  if (call == nullptr || slide_ == 0) return by_seq;
  const auto x_of = [&](int64_t time) {
    const double part =
        static_cast<double>(time - layout.from_ns) / static_cast<double>(layout.until_ns - layout.from_ns);
    return layout.all.min.x + static_cast<float>(std::clamp(part, 0.0, 1.0)) * layout.all.width();
  };
  const bool over = call->ended_ns != 0 && call->ended_ns <= time_ns;
  const float begin = std::min(x_of(call->created_ns), layout.all.max.x - px(4));
  const bool waits = !over || call->failed;
  const float whole = std::max(begin + px(4), x_of(over ? call->ended_ns : time_ns));
  const float end = waits ? std::max(begin + px(4), between(begin, whole, waited_)) : whole;
  const auto groups = static_cast<float>(layout.blocks.size());
  const float row = layout.lane / groups, above = row * static_cast<float>(block.group);
  const float edge = px(groups > 1 ? 1 : 2);
  return {{between(by_seq.min.x, begin, slide_), between(by_seq.min.y, y + above + edge, slide_)},
          {between(by_seq.max.x, end, slide_), between(by_seq.max.y, y + above + row - edge, slide_)}};
}

void Lanes::collect(const Layout& layout, const LanesData& data) {
  squares_.clear();
  for (const Block& block : layout.blocks) {
    for (size_t lane = 0; lane < layout.ranks.size(); ++lane) {
      const int rank = layout.ranks[lane];
      if (data.gone.contains(rank)) continue;
      for (int64_t seq = block.first; seq <= block.last; ++seq) {
        const Call* call = data.index->find(rank, block.group, seq);
        if (call != nullptr && call->created_ns > data.time_ns) call = nullptr;
        const Hole* hole = nullptr;
        if (call == nullptr && data.only_rank < 0) {
          for (const Hole& one : *data.holes) {
            if (one.rank == rank && one.group == block.group && one.seq == seq) hole = &one;
          }
        }
        if (call == nullptr && (hole == nullptr || slide_ > 0)) continue;  // by time, nothing shows the hole
        squares_.push_back(
            {{block.group, rank, seq}, rect_of(layout, block, lane, seq, call, data.time_ns), call, hole});
      }
    }
  }
}

void Lanes::draw(const std::string& id, ImVec2 size, const LanesData& data) {
  const ui::Canvas canvas(id, size, focus_next_);
  focus_next_ = false;
  focused_ = canvas.focused();
  play(data);
  const Layout layout = lay_out(canvas.rect(), data);
  collect(layout, data);
  act(canvas.rect(), canvas.hovered(), canvas.clicked(), canvas.mouse(), data);
  if (focused_) take_keys();
  draw_heads(canvas.list(), canvas.rect(), layout, data);
  for (const Square& square : squares_) draw_square(canvas.list(), square, data);
  label_squares(canvas.list(), data);
  draw_threads(canvas.list(), layout, data);
  draw_clock(canvas.list(), canvas.rect(), data);
  if (focused_) canvas.draw_focus();
}

void Lanes::act(const ui::Rect& rect, bool hovered, bool clicked, ImVec2 mouse, const LanesData& data) {
  if (!hovered) return;
  const auto over = std::find_if(squares_.rbegin(), squares_.rend(),
                                 [&](const Square& square) { return square.rect.contains(mouse); });
  if (over == squares_.rend()) {
    if (clicked) chosen_.reset();
    return;
  }
  ui::note(describe(over->place, data));
  if (!clicked) return;
  cursor_ = over->place;
  chosen_ = chosen_ == over->place ? std::nullopt : std::optional(over->place);
}

void Lanes::take_keys() {
  if (ui::pressed({ui::Key::kSpace})) by_time = !by_time;
  if (ui::pressed({ui::Key::kEnd})) open_hole();
  if (squares_.empty()) return;
  const auto now = std::find_if(squares_.begin(), squares_.end(),
                                [&](const Square& square) { return cursor_ == square.place; });
  if (now == squares_.end()) {
    if (ui::pressed({ui::Key::kLeft}) || ui::pressed({ui::Key::kRight}) || ui::pressed({ui::Key::kUp}) ||
        ui::pressed({ui::Key::kDown}))
      cursor_ = squares_.back().place;
    return;
  }
  const ImVec2 from(now->rect.min.x, now->rect.min.y);
  const auto move = [&](ui::Key key, float dx, float dy) {
    if (!ui::pressed({key}, true)) return;
    const Square* best = nullptr;
    float nearest = INFINITY;
    for (const Square& square : squares_) {
      const float x = square.rect.min.x - from.x, y = square.rect.min.y - from.y;
      const float along = x * dx + y * dy, aside = std::abs(x * dy) + std::abs(y * dx);
      if (along < 1 || along + 4 * aside >= nearest) continue;
      nearest = along + 4 * aside;
      best = &square;
    }
    if (best != nullptr) cursor_ = best->place;
  };
  move(ui::Key::kLeft, -1, 0);
  move(ui::Key::kRight, 1, 0);
  move(ui::Key::kUp, 0, -1);
  move(ui::Key::kDown, 0, 1);
  if (ui::pressed({ui::Key::kEnter})) chosen_ = chosen_ == cursor_ ? std::nullopt : cursor_;
}

std::string Lanes::chosen(const LanesData& data) const { return chosen_ ? describe(*chosen_, data) : ""; }

std::string Lanes::describe(const Place& place, const LanesData& data) const {
  if (place.group >= data.index->groups().size()) return "";
  if (data.only_rank >= 0 && place.rank != data.only_rank) return "";
  const std::string name =
      fmt::format("rank {}, {} #{}", place.rank, data.index->groups()[place.group], place.seq);
  const Call* call = data.index->find(place.rank, place.group, place.seq);
  if (call == nullptr || call->created_ns > data.time_ns) {
    for (const Hole& hole : *data.holes) {
      if (hole.rank != place.rank || hole.group != place.group || hole.seq != place.seq) continue;
      const std::string who = rank_words(hole.waiting), waited = waited_words(hole.waited_ns);
      return hole.never ? tr("{}: never called. Called by {}, waited for {}.", name, who, waited)
                        : tr("{}: not yet called. Called by {}, waited for {}.", name, who, waited);
    }
    return tr("{}: not called", name);
  }
  const std::string& unit = data.trace->name(call->unit);
  const std::string carries =
      data.tags ? data.trace->name(call->tag) + (unit.empty() ? "" : ", " + unit) : std::string("?");
  const std::string text = tr("{}: {} of {} elements, {}", name, to_string(call->op),
                              data.sizes ? format_count(call->elements) : "?", carries) +
                           "\n" + state_words(*call, data.time_ns);
  return is_struck(place, data)
             ? text + "\n" + tr("struck by the planned fault: its contents are not the right ones")
             : text;
}

}  // namespace ringside::nccl_panel
