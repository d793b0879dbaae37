// What is under the mouse, in words, and the memory below the rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/figures/live.h"
#include "ringside/widgets/block_columns.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/timeline.h"

namespace ringside::ui {
namespace {

std::string duration(int64_t ns) { return format_duration(double(ns) / 1e9); }

std::string describe_collective(const Trace& trace, const CollectiveEvent& e) {
  std::string text = fmt::format("{} of {}", to_string(e.op), trace.name(e.tag));
  if (e.unit != 0) text += ", " + trace.name(e.unit);
  const int64_t start = e.time_started_ns != 0 ? e.time_started_ns : e.time_created_ns;
  text += fmt::format("\nrank {}, {} #{}", e.rank, trace.name(e.group), e.collective_seq_id);
  if (e.peer >= 0) text += fmt::format(", {} {}", e.op == Op::kBroadcast ? "root" : "peer", e.peer);
  if (e.state == CollectiveState::kCompleted || e.state == CollectiveState::kFailed)
    text += "\ntook " + duration(e.time_completed_ns - start);
  if (e.state != CollectiveState::kCompleted) text += fmt::format("\n{}, not completed", to_string(e.state));
  text += "\nwaited " + duration(start - e.time_created_ns) + " before it started";
  text += fmt::format("\n{} elements, ", format_count(e.elements));
  text += e.bytes_sent == kNotObservable ? "what was sent is not observable"
                                         : format_bytes(double(e.bytes_sent)) + " sent";
  return text;
}

}  // namespace

std::optional<Timeline::Hit> Timeline::hit(const Frame& frame, std::span<const TimelineLane> lanes, Lane kind,
                                           int rank, float x) {
  const int64_t here = time_at(frame, x);
  for (const TimelineLane& lane : lanes) {
    ++looked_at_;
    // The item below the mouse, or what was merged in the mouse's cell.
    const size_t i = lane.first_ending_after(here);
    if (i < lane.size() && lane[i].start_ns <= here &&
        double(lane[i].end_ns - lane[i].start_ns) >= frame.ns_per_pixel * frame.cell)
      return Hit{kind, rank, lane[i].event};
    const float cell = frame.rows.min.x + std::floor((x - frame.rows.min.x) / frame.cell) * frame.cell;
    const int64_t from = time_at(frame, cell), to = std::max(time_at(frame, cell + frame.cell), from + 1);
    const size_t first = lane.first_starting_at(from), last = lane.first_starting_at(to, first);
    if (first == last) continue;
    return Hit{kind, rank, lane[first].event, last - first, lane.busy_ns(first, last), to - from};
  }
  return std::nullopt;
}

std::optional<Timeline::Hit> Timeline::hit(const Frame& frame, ImVec2 point) {
  const int row = int((point.y - frame.rows.min.y) / frame.row), rank = first_row_ + row;
  if (row < 0 || row >= rows_shown(frame) || rank >= frame.index.ranks()) return std::nullopt;
  const auto in = [&](Lane lane) { return hit(frame, lanes_of(frame, rank, lane), lane, rank, point.x); };
  const Bands bands = bands_of(frame, rank);
  if (bands.comm.contains(point)) return in(Lane::kComm);
  if (!bands.compute.contains(point)) return std::nullopt;
  // A wait lies over the span it belongs to, where it can be seen at all.
  const auto wait = in(Lane::kWait);
  if (wait && wait->count == 1 && wait->cell_ns == 0) return wait;
  const auto work = in(Lane::kCompute);
  return work ? work : wait;
}

std::string Timeline::describe(const Frame& frame, const Hit& hit) const {
  const SectionView& section = frame.index.section();
  if (hit.count > 1) {
    const double share = 100 * double(hit.busy_ns) / double(std::max<int64_t>(hit.cell_ns, 1));
    return fmt::format("{} {} within {}, busy {:.0f}%\nzoom in to tell them apart", hit.count,
                       hit.lane == Lane::kComm ? "collectives" : "spans", duration(hit.cell_ns),
                       std::min(share, 100.0));
  }
  if (hit.lane == Lane::kComm)
    return describe_collective(frame.trace, section.collectives(hit.rank)[hit.event]);
  const SpanEvent& span = section.spans(hit.rank)[hit.event];
  std::string text = frame.trace.name(span.name);
  if (span.unit != 0) text += ", " + frame.trace.name(span.unit);
  std::string where = alone(frame.index) ? "" : figure::name_of_rank(frame.index.section(), span.rank);
  if (span.step >= 0)
    where += fmt::format("{}{} {}", where.empty() ? "" : ", ", frame.index.step(), span.step);
  if (!where.empty()) text += "\n" + where;
  return text + "\n" + duration(span.end_ns - span.start_ns) + " from " +
         duration(span.start_ns - frame.index.first_ns());
}

// The edges of the stack between two instants, from below: the highest of each category upon the other.
Timeline::Levels Timeline::memory_levels(const Frame& frame, double range, int64_t from_ns, int64_t to_ns) {
  const SectionView& section = frame.index.section();
  Levels levels;
  double sum = 0;
  for (size_t c = 0; c < kCategories.size(); ++c) {
    const size_t size = section.memory(memory_rank, kCategories[c]).size();
    const Pyramid& pyramid = section.memory_pyramid(memory_rank, kCategories[c]);
    looked_at_ += 3;
    const size_t first = pyramid.lower_bound(from_ns, size), last = pyramid.lower_bound(to_ns, size);
    // What was held when the column began counts too.
    const auto most = pyramid.range(first > 0 ? first - 1 : 0, last);
    sum += most ? std::max(most->max, 0.0) : 0;
    levels[c] = std::round(frame.memory.max.y - float(std::min(sum / range, 1.0)) * frame.memory.height());
  }
  return levels;
}

// Columns of equal levels are one stretch.
std::vector<Timeline::MemoryStretch> Timeline::memory_stretches(const Frame& frame, double range) {
  const Rect& area = frame.memory;
  const float wide = std::max(px(2), area.width() / 700);
  std::vector<MemoryStretch> stretches;
  for (float x = area.min.x; x < area.max.x; x += wide) {
    const int64_t from = time_at(frame, x);
    if (from > frame.index.last_ns()) break;
    const Levels levels = memory_levels(frame, range, from, std::max(time_at(frame, x + wide), from + 1));
    if (stretches.empty() || stretches.back().levels != levels) stretches.push_back({x, x, levels});
    stretches.back().to = std::min(x + wide, area.max.x);
  }
  return stretches;
}

void Timeline::draw_memory(const Frame& frame) {
  ImDrawList& list = frame.canvas.list();
  const Rect& area = frame.memory;
  list.AddRectFilled(area.min, area.max, colours().panel);
  int64_t peaks = 0;
  size_t count = 0;
  for (const Category category : kCategories) {
    const auto events = frame.index.section().memory(memory_rank, category);
    if (!events.empty()) peaks += events.back().peak_bytes;
    count += events.size();
  }
  const double range = round_bytes_up(double(peaks));
  const MemoryMark mark{frame.index.identity(),
                        memory_rank,
                        from_,
                        to_,
                        frame.index.last_ns(),
                        count,
                        {area.min.x, area.min.y, area.max.x, area.max.y},
                        range};
  if (mark != memory_mark_) {
    memory_ = memory_stretches(frame, range);
    memory_mark_ = mark;
  }
  for (const MemoryStretch& one : memory_) {
    for (size_t c = 0; c < one.levels.size(); ++c) {
      const ImU32 colour = ui::colour_of(kCategories[c]);
      const float below = c == 0 ? area.max.y : one.levels[c - 1];
      if (one.levels[c] < below) list.AddRectFilled({one.from, one.levels[c]}, {one.to, below}, colour);
    }
  }
  label_memory(frame, range);
}

void Timeline::label_memory(const Frame& frame, double range) const {
  const Rect& area = frame.memory;
  const float left = frame.canvas.rect().min.x + px(2), line = line_height();
  const auto label = [&](const std::string& text, float y) {
    if (text_width(text) <= area.min.x - px(4) - left)
      draw_text(frame.canvas.list(), {left, y}, colours().dim, text);
  };
  label(short_bytes(range), area.min.y);
  label("r" + std::to_string(memory_rank) + " mem", area.max.y - line);
  mark(frame.id + ".memory", area.min, area.max);
}

}  // namespace ringside::ui
