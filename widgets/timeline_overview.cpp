// Above the rows: which part of the whole is seen, and what the greys and the hatching mean.
#include <algorithm>

#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/timeline.h"

namespace ringside::ui {

void Timeline::draw_overview(const Frame& frame) const {
  const Rect& strip = frame.overview;
  ImDrawList& list = frame.canvas.list();
  list.AddRectFilled(strip.min, strip.max, colours().raised, px(2));
  mark(frame.id + ".overview", strip.min, strip.max);
  if (frame.index.empty()) return;
  const int64_t first = frame.index.first_ns(), last = std::max(frame.index.last_ns(), first + 1);
  const auto x_of_whole = [&](int64_t time) {
    const double share = double(time - first) / double(last - first);
    return strip.min.x + float(std::clamp(share, 0.0, 1.0)) * strip.width();
  };
  const float left = std::min(x_of_whole(from_), strip.max.x - px(4));
  list.AddRectFilled({left, strip.min.y}, {std::max(x_of_whole(to_), left + px(4)), strip.max.y},
                     fade(colours().dim, 0.4f), px(2));
  const float head = std::clamp(x_of_whole(frame.playhead_ns), strip.min.x + 1, strip.max.x - 1);
  list.AddLine({head, strip.min.y}, {head, strip.max.y}, colours().accent, px(2));
}

// From the right: what waits, then the phases by their shade, as many as leave the time its room.
float Timeline::draw_legend(const Frame& frame, const Rect& row) const {
  if (alone(frame.index) || frame.index.only_steps()) return row.max.x;
  ImDrawList& list = frame.canvas.list();
  const float side = px(9), least = row.min.x + row.width() * 0.5f, y = (row.min.y + row.max.y) / 2;
  float right = row.max.x - px(10);  // left of the playhead's handle at the end, or a little before it
  if (const float head = x_of(frame, frame.playhead_ns); head > right - px(60))
    right = std::min(right, head - px(10));
  const auto entry = [&](const std::string& word, ImU32 fill, bool hollow) {
    const float left = right - px(12) - side - px(4) - text_width(word);
    if (left < least) return false;
    const Rect box{{left + px(12), y - side / 2}, {left + px(12) + side, y + side / 2}};
    list.AddRectFilled(box.min, box.max, fill);
    if (hollow) hatch(list, box, colours().dim, px(3));
    if (hollow) list.AddRect(box.min, box.max, colours().dim);
    draw_label(list, {{box.max.x + px(4), row.min.y}, {right, row.max.y}}, colours().dim, word);
    right = left;
    return true;
  };
  bool waits = false;
  for (int rank = 0; rank < frame.index.ranks(); ++rank)
    waits = waits || !frame.index.rank(rank).waits.empty();
  if (waits) entry(tr("waits"), colours().background, true);
  const auto& phases = frame.index.phases();
  for (auto phase = phases.rbegin(); phase != phases.rend(); ++phase)
    if (!entry(frame.trace.name(*phase), phase_colour(frame.trace.name(*phase)), false)) break;
  return right;
}

// What is no training step has a name as well: an evaluation, say. As long as its name fits.
void Timeline::name_between(const Frame& frame, Stretch gap, const Rect& row) const {
  constexpr size_t kMost = 64;
  if (x_of(frame, gap.to_ns) - x_of(frame, gap.from_ns) < px(40) || frame.index.only_steps()) return;
  float free = row.min.x;
  for (size_t lane = frame.index.rank(0).compute.size(); lane-- > 0;) {  // what encloses first
    const TimelineLane& spans = frame.index.rank(0).compute[lane];
    size_t i = spans.first_ending_after(std::max(gap.from_ns, from_));
    for (size_t n = 0; n < kMost && i < spans.size() && spans[i].start_ns < std::min(gap.to_ns, to_);
         ++n, ++i) {
      if (spans[i].start_ns < gap.from_ns || spans[i].end_ns > gap.to_ns) continue;
      const std::string& name = frame.trace.name(frame.index.section().spans(0)[spans[i].event].name);
      const float left = std::max(x_of(frame, spans[i].start_ns), row.min.x);
      const float right = std::min(x_of(frame, spans[i].end_ns), row.max.x);
      if (left < free || right - left < text_width(name) + px(6)) continue;
      frame.canvas.list().AddLine({left, row.min.y}, {left, row.max.y}, colours().line, 1);
      draw_label(frame.canvas.list(), {{left + px(4), row.min.y}, {right, row.max.y}}, colours().dim, name);
      free = right;
    }
  }
}

// Compute carries nothing of its own: greys, but for the update of what the optimizer holds.
ImU32 Timeline::phase_colour(const std::string& name) {
  if (name == "forward") return fade(colours().dim, 0.25f);
  if (name == "recompute") return fade(colours().dim, 0.35f);
  if (name == "backward") return fade(colours().dim, 0.5f);
  if (name == "update") return colours().optimizer;
  return colours().line;
}

}  // namespace ringside::ui
