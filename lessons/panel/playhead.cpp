#include "ringside/panel/playhead.h"

#include <algorithm>
#include <limits>

namespace ringside {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
constexpr size_t kNearby = 512;  // spans and events are almost in order of time: how far "almost" reaches

// The first index whose key is above `time`, in a range that is ordered by it.
template <typename T, typename Key>
size_t upper_bound(const EventRange<T>& events, int64_t time, Key key) {
  size_t low = 0, high = events.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (key(events[middle]) > time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

int64_t time_of(const CollectiveEvent& event) {
  return std::max({event.time_created_ns, event.time_started_ns, event.time_completed_ns});
}
int64_t end_of(const SpanEvent& span) { return span.end_ns; }
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

void offer_spans(const Trace& trace, const SectionView& section, Nearest& nearest, bool steps) {
  if (section.ranks() == 0) return;
  // A step may hold more spans than "nearby" reaches: look at each.
  const auto spans = section.spans(0);
  for (size_t i = 0; i < spans.size(); ++i) {
    const std::string& name = trace.name(spans[i].name);
    const bool is_step = name == "step";
    if (is_step != steps || is_wait(name)) continue;
    nearest.offer(spans[i].start_ns);
  }
}

}  // namespace

TimeRange time_range(const SectionView& section) {
  TimeRange range{kNone, kNone};
  const bool broke = section.attributes().contains(kBroke);
  int64_t longest = 0;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    int64_t last = 0;
    const auto cover = [&](int64_t first_ns, int64_t last_ns) {
      range.first = std::min(range.first, first_ns);
      last = std::max(last, last_ns);
    };
    if (const auto spans = section.spans(rank); !spans.empty()) cover(spans[0].start_ns, spans.back().end_ns);
    if (const auto events = section.collectives(rank); !events.empty())
      cover(events[0].time_created_ns, time_of(events.back()));
    if (const auto notes = section.notes(rank); !notes.empty()) cover(notes[0].time_ns, notes.back().time_ns);
    for (const Category category : kCategories) {
      // What is freed after the last of these is the end of the section, not a part of it.
      const auto memory = section.memory(rank, category);
      if (last == 0 && !memory.empty()) cover(memory[0].time_ns, memory.back().time_ns);
    }
    // A rank that is done frees what it held while others still work: the section ends before that.
    if (last > 0) range.last = std::min(range.last, last);
    longest = std::max(longest, last);
  }
  // Where one rank stopped, the others' wait for it is what there is to see.
  if (broke && longest > 0) range.last = longest;
  if (range.first == kNone) return {};
  range.last = std::max(range.first, range.last);
  return range;
}

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
  if (playhead.playing) playhead.time_ns += static_cast<int64_t>(seconds * playhead.speed * 1e9);
  if (playhead.time_ns >= range.last) playhead.playing = false;
  playhead.time_ns = std::clamp(playhead.time_ns, range.first, range.last);
}

bool stride(Playhead& playhead, const Trace& trace, Stride stride, int direction) {
  const SectionView* section = watched(trace, playhead);
  if (section == nullptr) return false;
  Nearest nearest{playhead.time_ns, direction};
  if (stride == Stride::kEvent) {
    offer_events(*section, nearest);
  } else {
    offer_spans(trace, *section, nearest, stride == Stride::kStep);
  }
  if (nearest.best == kNone) return false;
  playhead.time_ns = nearest.best;
  playhead.follow = playhead.playing = false;
  return true;
}

Moment moment_at(const Trace& trace, const SectionView& section, int64_t time_ns, int rank) {
  Moment moment;
  if (rank >= section.ranks()) return moment;
  const auto spans = section.spans(rank);
  int64_t shortest = kNone;
  const size_t at = upper_bound(spans, time_ns - 1, end_of);
  for (size_t i = at; i < std::min(spans.size(), at + kNearby); ++i) {
    const SpanEvent& span = spans[i];
    if (span.start_ns > time_ns || span.end_ns < time_ns) continue;
    moment.step = std::max(moment.step, span.step);
    const std::string& name = trace.name(span.name);
    const int64_t length = span.end_ns - span.start_ns;
    if (name == "step" || is_wait(name) || length >= shortest) continue;
    shortest = length;
    moment.phase = name;
    moment.unit = trace.name(span.unit);
  }
  return moment;
}

}  // namespace ringside
