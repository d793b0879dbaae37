// The strokes of the timeline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/figures/axis.h"
#include "ringside/figures/live.h"
#include "ringside/widgets/flights.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/timeline.h"

namespace ringside::ui {
namespace {

// Of a tick; below a microsecond a tick tells its distance from `base` only.
std::string tick_text(int64_t time_ns, int64_t step, int64_t base) {
  const double t = double(time_ns);
  if (step >= 1000000000) return fmt::format("{:.0f} s", t / 1e9);
  if (step >= 1000000) return fmt::format("{:.0f} ms", t / 1e6);
  if (step >= 1000)
    return std::abs(time_ns) < 1000000 ? fmt::format("{:.0f} µs", t / 1e3)
                                       : fmt::format("{:.{}f} ms", t / 1e6,
                                                     step >= 100000  ? 1
                                                     : step >= 10000 ? 2
                                                                     : 3);
  return fmt::format("+{} ns", time_ns - base);
}

std::string phase_code(const std::string& name) {
  if (name == "forward") return "fwd";
  if (name == "recompute") return "again";
  if (name == "backward") return "bwd";
  return name;
}

}  // namespace

void Timeline::draw_ruler(const Frame& frame) const {
  ImDrawList& list = frame.canvas.list();
  const float line = line_height(), split = frame.ruler.min.y + line + px(4);
  list.AddRectFilled(frame.ruler.min, {frame.ruler.max.x, split}, colours().panel);
  if (frame.index.empty()) return;
  const float right = draw_legend(frame, {frame.ruler.min, {frame.ruler.max.x, split}});
  const int64_t origin = frame.index.first_ns(),
                step = std::llround(std::max(1.0, figure::round_step(frame.ns_per_pixel * px(96), 1, {})));
  const int64_t first = ((from_ - origin) / step - 1) * step;
  const int64_t base = (from_ - origin) / 1000 * 1000;
  float free = frame.ruler.min.x;
  if (step < 1000) {
    const std::string text = fmt::format("{:.3f} ms", double(base) / 1e6);
    draw_text(list, {free + px(4), frame.ruler.min.y + px(2)}, colours().text, text);
    free += text_width(text) + px(12);
  }
  for (int64_t t = first; t + origin <= to_; t += step) {
    const float x = std::round(x_of(frame, t + origin));
    if (t + origin < from_ || x < frame.ruler.min.x) continue;
    list.AddLine({x, frame.ruler.min.y}, {x, frame.rows.max.y}, colours().raised, 1);
    const std::string text = tick_text(t, step, base);
    const float width = text_width(text);
    if (x + px(4) < free || x + px(4) + width > right) continue;
    draw_text(list, {x + px(4), frame.ruler.min.y + px(2)}, colours().dim, text);
    free = x + px(12) + width;
  }
  draw_steps(frame, split);
}

// Training steps, as rank 0 saw them: one stroke where each begins, its number where it fits.
void Timeline::draw_steps(const Frame& frame, float split) const {
  if (frame.index.ranks() == 0) return;
  ImDrawList& list = frame.canvas.list();
  const float right = frame.ruler.max.x;
  const TimelineLane& steps = frame.index.rank(0).steps;
  const Rect row{{frame.ruler.min.x, split}, {right, frame.ruler.max.y}};
  size_t i = steps.first_ending_after(from_);
  int64_t since = i > 0 ? steps[i - 1].end_ns : frame.index.first_ns();
  while (i < steps.size() && steps[i].start_ns < to_) {
    name_between(frame, {since, steps[i].start_ns}, row);
    const float x = x_of(frame, steps[i].start_ns), end = x_of(frame, steps[i].end_ns);
    if (x >= frame.ruler.min.x) list.AddLine({x, split}, {x, frame.rows.max.y}, colours().line, 1);
    const int64_t number = frame.index.section().spans(0)[steps[i].event].step;
    const Rect room{{std::max(x, frame.ruler.min.x) + px(4), split},
                    {std::min(end, right), frame.ruler.max.y}};
    const std::string text = fmt::format("{} {}", frame.index.step(), number);
    if (text_width(text) <= room.width()) draw_label(list, room, colours().dim, text);
    const size_t next = std::max(i + 1, steps.first_starting_at(time_at(frame, x + px(3)), i));
    since = steps[next - 1].end_ns;
    i = next;
  }
  name_between(frame, {since, i < steps.size() ? steps[i].start_ns : frame.index.last_ns()}, row);
}

void Timeline::draw_labels(const Frame& frame) const {
  ImDrawList& list = frame.canvas.list();
  const float left = frame.canvas.rect().min.x, width = frame.rows.min.x - left - px(6);
  const int last = std::min(first_row_ + rows_shown(frame), frame.index.ranks());
  for (int rank = first_row_; rank < last; ++rank) {
    const Bands bands = bands_of(frame, rank);
    const std::string number = std::to_string(rank), name = figure::name_of_rank(frame.index.section(), rank);
    const bool fits = text_width(name) <= width || width > px(40);
    if (!alone(frame.index))
      draw_label(list, {{left + px(2), bands.compute.min.y}, {left + px(2) + width, bands.comm.max.y}},
                 colours().dim, fits ? name : "r" + number);
    mark(frame.id + ".r" + number, bands.compute.min, bands.comm.max);
  }
  const int ranks = frame.index.ranks(), shown = last - first_row_;
  if (shown >= ranks || ranks == 0) return;
  const float x = frame.rows.max.x + px(3), height = frame.rows.height();
  const auto y = [&](int row) { return frame.rows.min.y + height * float(row) / float(ranks); };
  list.AddRectFilled({x, frame.rows.min.y}, {x + px(5), frame.rows.max.y}, colours().panel, px(2));
  list.AddRectFilled({x, y(first_row_)}, {x + px(5), y(last)}, colours().line, px(2));
}

void Timeline::draw_row(const Frame& frame, int rank) {
  const Bands bands = bands_of(frame, rank);
  ImDrawList& list = frame.canvas.list();
  list.AddRectFilled(bands.compute.min, bands.comm.max, colours().panel);
  const TimelineIndex::Rank& all = frame.index.rank(rank);
  if (frame.index.only_steps()) draw_lane(frame, rank, Lane::kCompute, all.steps, bands.compute, false);
  // What encloses lies behind what it encloses.
  for (size_t i = all.compute.size(); i-- > 0;)
    draw_lane(frame, rank, Lane::kCompute, all.compute[i], bands.compute, i > 0);
  for (const TimelineLane& lane : all.waits) draw_lane(frame, rank, Lane::kWait, lane, bands.compute, false);
  for (size_t i = all.comm.size(); i-- > 0;)
    draw_lane(frame, rank, Lane::kComm, all.comm[i], bands.comm, i > 0);
  draw_open(frame, rank, bands.comm);
}

// Items wider than a cell are drawn; of narrower ones those that begin in the same cell become one, in
// their own colour where they are alike, and paler the less of the cell they fill.
void Timeline::draw_lane(const Frame& frame, int rank, Lane kind, const TimelineLane& lane, const Rect& band,
                         bool behind) {
  ImDrawList& list = frame.canvas.list();
  Rect pending{};
  ImU32 pending_colour = 0;
  const auto flush = [&] {
    if (pending_colour != 0) list.AddRectFilled(pending.min, pending.max, pending_colour);
    pending_colour = 0;
  };
  size_t i = lane.first_ending_after(from_);
  while (i < lane.size() && lane[i].start_ns < to_) {
    looked_at_ += 2;
    const float x0 = x_of(frame, lane[i].start_ns), x1 = x_of(frame, lane[i].end_ns);
    if (x1 - x0 >= frame.cell) {
      flush();
      draw_item(frame, rank, kind, lane[i++], {{x0, band.min.y}, {x1, band.max.y}}, behind);
      continue;
    }
    const float cell = frame.rows.min.x + std::floor((x0 - frame.rows.min.x) / frame.cell) * frame.cell;
    size_t end = std::max(i + 1, lane.first_starting_at(time_at(frame, cell + frame.cell), i));
    if (end - i > 1 && x_of(frame, lane[end - 1].end_ns) - x_of(frame, lane[end - 1].start_ns) >= frame.cell)
      --end;
    const double busy = double(lane.busy_ns(i, end)) / (frame.ns_per_pixel * frame.cell);
    const float pale = busy > 0.6 ? 0.0f : busy > 0.25 ? 0.3f : 0.5f;
    const bool alike = lane.alike(i, end);
    ImU32 colour = alike ? colour_of(frame, rank, kind, lane[i]) : colours().other;
    colour = fade(colour, kind == Lane::kWait ? 0.5f : pale);
    if (pending_colour != colour || cell > pending.max.x + 0.5f) {
      flush();
      pending = {{cell, band.min.y}, {cell + frame.cell, band.max.y}};
      pending_colour = colour;
    }
    pending.max.x = cell + frame.cell;
    i = end;
  }
  flush();
}

// Of thousands of items there are a few kinds: each is asked for its name once a frame.
ImU32 Timeline::colour_of(const Frame& frame, int rank, Lane kind, const TimelineLane::Item& item) {
  const auto [known, is_new] = colours_.try_emplace({kind, item.kind}, 0);
  if (is_new) known->second = find_colour(frame, rank, kind, item);
  return known->second;
}

ImU32 Timeline::find_colour(const Frame& frame, int rank, Lane kind, const TimelineLane::Item& item) const {
  const SectionView& section = frame.index.section();
  if (kind == Lane::kComm) return colour_of_tag(frame.trace.name(section.collectives(rank)[item.event].tag));
  if (kind == Lane::kWait) return colours().dim;
  return phase_colour(frame.trace.name(section.spans(rank)[item.event].name));
}

void Timeline::draw_item(const Frame& frame, int rank, Lane kind, const TimelineLane::Item& item,
                         const Rect& rect, bool behind) {
  ImDrawList& list = frame.canvas.list();
  Rect r = rect;
  r.max.x = std::max(r.min.x + 1, r.max.x - (rect.width() > px(3) ? 1 : 0));  // a seam to the next
  ImU32 fill = colour_of(frame, rank, kind, item);
  if (kind == Lane::kWait) {
    // Hollow: time that passes without work.
    list.AddRectFilled(r.min, r.max, colours().background);
    if (r.width() >= px(6)) hatch(list, r, colours().line, px(6));
    list.AddRect(r.min, r.max, colours().line);
    return;
  }
  if (behind) fill = fade(fill, 0.6f);
  list.AddRectFilled(r.min, r.max, fill);
  Rect seen{{std::max(r.min.x, frame.rows.min.x) + px(3), r.min.y},
            {std::min(r.max.x, frame.rows.max.x) - px(3), r.max.y}};
  if (behind || seen.width() < px(14)) return;
  const SectionView& section = frame.index.section();
  std::string full, code;
  if (kind == Lane::kComm) {
    const CollectiveEvent& event = section.collectives(rank)[item.event];
    code = code_of(event.op);
    full = code + " " + short_name(frame.trace.name(event.unit), "");
  } else {
    const SpanEvent& span = section.spans(rank)[item.event];
    const std::string& unit = frame.trace.name(span.unit);
    code = phase_code(frame.trace.name(span.name));
    full = code + " " + short_name(unit, "");
    if (code == frame.index.step()) {  // what it is about; its number stands above
      code = std::to_string(span.step);
      full = unit.empty() ? code : unit;
    }
    seen = beside_waits(frame, rank, item, seen);
  }
  for (const std::string& text : {full, code}) {
    const float width = text_width(text);
    if (width > seen.width()) continue;
    // In the middle, or as near to it as the playhead lets it.
    const float head = x_of(frame, frame.playhead_ns), gap = px(4);
    float x = seen.min.x + (seen.width() - width) / 2;
    if (head > x - gap && head < x + width + gap) {
      const bool before = head > x + width / 2;
      const float aside = before ? head - gap - width : head + gap;
      if (aside >= seen.min.x && aside + width <= seen.max.x) x = aside;
    }
    draw_label(list, {{x, seen.min.y}, {x + width + 1, seen.max.y}}, text_on(fill), text);
    return;
  }
}

// The widest part of a span that no wait lies upon: a label and hatching do not go together.
Rect Timeline::beside_waits(const Frame& frame, int rank, const TimelineLane::Item& item,
                            const Rect& seen) const {
  constexpr int kMost = 6;
  const auto& waits = frame.index.rank(rank).waits;
  if (waits.empty()) return seen;
  Rect best{seen.min, {seen.min.x, seen.max.y}};
  float from = seen.min.x;
  const auto consider = [&](float until) {
    if (until - from > best.width()) best = {{from, seen.min.y}, {until, seen.max.y}};
  };
  size_t i = waits[0].first_ending_after(std::max(item.start_ns, from_));
  for (int k = 0; k < kMost && i < waits[0].size() && waits[0][i].start_ns < item.end_ns; ++k, ++i) {
    consider(std::min(x_of(frame, waits[0][i].start_ns) - px(2), seen.max.x));
    from = std::max(from, x_of(frame, waits[0][i].end_ns) + px(2));
  }
  consider(seen.max.x);
  return best;
}

// Not completed: scheduled ones hollow from then on, started ones filled up to the last thing known.
void Timeline::draw_open(const Frame& frame, int rank, const Rect& band) {
  ImDrawList& list = frame.canvas.list();
  constexpr int kMost = 64;
  int drawn = 0;
  const auto events = frame.index.section().collectives(rank);
  for (const auto& [key, index] : frame.index.rank(rank).open) {
    if (++drawn > kMost) break;
    ++looked_at_;
    const CollectiveEvent& event = events[index];
    const bool started = event.state == CollectiveState::kStarted;
    const float x0 = x_of(frame, started ? event.time_started_ns : event.time_created_ns);
    const float x1 = std::max(x_of(frame, frame.index.last_ns()), x0 + px(2));
    const ImU32 colour = colour_of_tag(frame.trace.name(event.tag));
    if (started) list.AddRectFilled({x0, band.min.y}, {x1, band.max.y}, fade(colour, 0.35f));
    dashed_rect(list, {{x0, band.min.y}, {x1, band.max.y - 1}}, colour);
  }
}

void Timeline::draw_playhead(const Frame& frame) const {
  if (frame.index.empty() || frame.playhead_ns < from_ || frame.playhead_ns > to_) return;
  ImDrawList& list = frame.canvas.list();
  const float x = std::round(x_of(frame, frame.playhead_ns)), top = frame.ruler.min.y + px(2);
  const float bottom = frame.memory.height() > 0 ? frame.memory.max.y : frame.rows.max.y;
  const float half = px(6), neck = top + px(11);
  list.AddLine({x, neck}, {x, bottom}, colours().accent, px(2));
  const ImVec2 handle[] = {
      {x - half, top}, {x + half, top}, {x + half, neck}, {x, neck + half}, {x - half, neck}};
  list.AddConvexPolyFilled(handle, 5, colours().accent);
  mark(frame.id + ".handle", {x - half, top}, {x + half, neck + half});
}

}  // namespace ringside::ui
