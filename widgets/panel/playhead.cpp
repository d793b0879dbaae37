#include "ringside/panel/playhead.h"

#include <algorithm>
#include <limits>

#include "ringside/figures/in_time.h"

namespace ringside {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

int64_t note_time(const NoteEvent& note) { return note.time_ns; }
int64_t row_time(const RowEvent& row) { return row.time_ns; }

// Keeps of the times offered the one nearest to `from` in its direction.
struct Nearest {
  int64_t from;
  int direction;
  int64_t best = kNone;
  void offer(int64_t time) {
    if ((time - from) * direction <= 0) return;
    if (best == kNone || (time - best) * direction < 0) best = time;
  }
};

// Offers the events around `from` by both of their edges.
template <typename T, typename Key, typename Offer>
void offer_nearby(const EventRange<T>& events, Nearest& nearest, Key key, Offer offer) {
  const size_t at = upper_bound(events, nearest.from, key);
  const size_t first = at > kNearby ? at - kNearby : 0, last = std::min(events.size(), at + kNearby);
  for (size_t i = first; i < last; ++i) offer(events[i]);
}

// Rows may be written when a section is over: those are no moments of it.
void offer_events(const SectionView& section, Nearest& nearest) {
  const int64_t last_ns = time_range(section).last;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    offer_nearby(section.collectives(rank), nearest, time_of,
                 [&](const CollectiveEvent& event) { nearest.offer(time_of(event)); });
    offer_nearby(section.spans(rank), nearest, end_of, [&](const SpanEvent& span) {
      nearest.offer(span.start_ns);
      nearest.offer(span.end_ns);
    });
    offer_nearby(section.notes(rank), nearest, note_time,
                 [&](const NoteEvent& note) { nearest.offer(note.time_ns); });
    offer_nearby(section.rows(rank), nearest, row_time, [&](const RowEvent& row) {
      if (row.time_ns <= last_ns) nearest.offer(row.time_ns);
    });
  }
}

bool is_wait(const std::string& name) { return name.starts_with("wait"); }

void offer_spans(const Trace& trace, const SectionView& section, Nearest& nearest, std::string_view step,
                 bool steps) {
  if (section.ranks() == 0) return;
  // A step may hold more spans than "nearby" reaches: look at each.
  const auto spans = section.spans(0);
  for (size_t i = 0; i < spans.size(); ++i) {
    const std::string& name = trace.name(spans[i].name);
    const bool is_step = name == step;
    if (is_step != steps || is_wait(name)) continue;
    nearest.offer(spans[i].start_ns);
  }
}

}  // namespace

const SectionView* watched(const Trace& trace, const Playhead& playhead) {
  if (const SectionView* section = trace.find(playhead.section)) return section;
  return trace.sections().empty() ? nullptr : &trace.sections().back();
}

void advance(Playhead& playhead, const Trace& trace, double seconds) {
  const SectionView* section = watched(trace, playhead);
  if (section == nullptr) return;
  const TimeRange range = time_range(*section);
  if (playhead.follow) {
    playhead.time_ns = range.last;
    return;
  }
  const int64_t before = playhead.time_ns, until = playhead.until_ns;
  if (playhead.playing) playhead.time_ns += int64_t(seconds * playhead.speed * 1e9);
  if (playhead.playing && before < until && playhead.time_ns >= until) {
    playhead.time_ns = until;
    playhead.until_ns = 0;
    playhead.playing = false;
  }
  if (playhead.time_ns >= range.last) playhead.playing = false;
  playhead.time_ns = std::clamp(playhead.time_ns, range.first, range.last);
}

bool stride(Playhead& playhead, const Trace& trace, Stride stride, int direction, std::string_view step) {
  const SectionView* section = watched(trace, playhead);
  if (section == nullptr) return false;
  Nearest nearest{playhead.time_ns, direction};
  if (stride == Stride::kEvent)
    offer_events(*section, nearest);
  else
    offer_spans(trace, *section, nearest, step, stride == Stride::kStep);
  if (nearest.best == kNone) return false;
  playhead.time_ns = nearest.best;
  playhead.follow = playhead.playing = false;
  return true;
}

}  // namespace ringside
