#include "ringside/widgets/memory_history.h"

#include <algorithm>

#include "ringside/base/check.h"

namespace ringside::ui {

void MemoryHistory::update(const SectionView& section) {
  const bool same = ranks() == section.ranks() && ranks() > 0 &&
                    tracks_[0][0].times == &section.memory_pyramid(0, kCategories[0]);
  if (!same) {
    tracks_.clear();
    tracks_.resize(size_t(section.ranks()));
    highest_ = 0;
  }
  section_ = section;
  for (int rank = 0; rank < ranks(); ++rank)
    for (const Category category : kCategories)
      extend(tracks_[size_t(rank)][size_t(category)], section, rank, category);
}

void MemoryHistory::extend(Track& track, const SectionView& section, int rank, Category category) {
  track.times = &section.memory_pyramid(rank, category);
  const EventRange<MemoryEvent> events = section.memory(rank, category);
  const size_t known = track.slot_of.size();
  if (events.size() < known) return;  // an older snapshot of the same section
  track.events = events;
  for (size_t i = known; i < events.size(); ++i) {
    const MemoryEvent& event = events[i];
    const auto [found, is_new] = track.slots.try_emplace({event.unit, event.tensor}, track.names.size());
    if (is_new) track.names.push_back(found->first);
    const uint32_t slot = found->second;
    track.slot_of.push_back(slot);
    const int64_t before = track.peaks.empty() ? 0 : track.peaks.back();
    track.peaks.push_back(std::max(before, event.total_bytes));
    highest_ = std::max(highest_, event.total_bytes);

    const auto at = std::lower_bound(track.newest.begin(), track.newest.end(), slot,
                                     [](const Live& live, uint32_t s) { return live.slot < s; });
    if (at == track.newest.end() || at->slot != slot)
      track.newest.insert(at, {slot, event.delta_bytes});
    else if ((at->bytes += event.delta_bytes) == 0)
      track.newest.erase(at);
    // So that the checkpoints together never hold more than the events do, however much is alive.
    const size_t last = track.checkpoints.empty() ? 0 : track.checkpoints.back().events;
    if (i + 1 - last >= std::max(kInterval, track.newest.size()))
      track.checkpoints.push_back({i + 1, track.newest});
  }
}

const MemoryHistory::Track& MemoryHistory::track(int rank, Category category) const {
  RINGSIDE_CHECK(rank >= 0 && rank < ranks(), "no rank " << rank << " among " << ranks());
  return tracks_[size_t(rank)][size_t(category)];
}

size_t MemoryHistory::events_until(const Track& track, int64_t time_ns) {
  const size_t size = track.slot_of.size();
  return time_ns == INT64_MAX ? size : track.times->lower_bound(time_ns + 1, size);
}

const std::vector<MemoryHistory::Held>& MemoryHistory::at(int rank, Category category, int64_t time_ns) {
  Track& found = const_cast<Track&>(track(rank, category));
  move_to(found, events_until(found, time_ns));
  return found.shown;
}

void MemoryHistory::move_to(Track& track, size_t events) {
  // The nearest place to start from: where we are, or the checkpoint before the goal.
  const auto after = std::upper_bound(track.checkpoints.begin(), track.checkpoints.end(), events,
                                      [](size_t goal, const Checkpoint& c) { return goal < c.events; });
  const bool has = after != track.checkpoints.begin();
  const size_t from = has ? std::prev(after)->events : 0;
  const size_t distance = events > track.cursor ? events - track.cursor : track.cursor - events;
  if (events - from < distance) {
    track.shown.clear();
    track.shown_slots.clear();
    if (has) {
      for (const auto& [slot, bytes] : std::prev(after)->live) {
        track.shown_slots.push_back(slot);
        track.shown.push_back({track.names[slot].first, track.names[slot].second, bytes});
      }
    }
    track.cursor = from;
  }
  moved_ += events > track.cursor ? events - track.cursor : track.cursor - events;
  while (track.cursor < events) add(track, track.cursor++, 1);
  while (track.cursor > events) add(track, --track.cursor, -1);
}

void MemoryHistory::add(Track& track, size_t event, int64_t sign) {
  const uint32_t slot = track.slot_of[event];
  const int64_t delta = sign * track.events[event].delta_bytes;
  const auto at = std::lower_bound(track.shown_slots.begin(), track.shown_slots.end(), slot);
  const auto held = track.shown.begin() + (at - track.shown_slots.begin());
  if (at == track.shown_slots.end() || *at != slot) {
    if (delta == 0) return;
    track.shown.insert(held, {track.names[slot].first, track.names[slot].second, delta});
    track.shown_slots.insert(at, slot);
  } else if ((held->bytes += delta) == 0) {
    track.shown.erase(held);
    track.shown_slots.erase(at);
  }
}

int64_t MemoryHistory::total(int rank, Category category, int64_t time_ns) const {
  const Track& found = track(rank, category);
  const size_t events = events_until(found, time_ns);
  return events == 0 ? 0 : found.events[events - 1].live_bytes;
}

int64_t MemoryHistory::total(int rank, int64_t time_ns) const {
  int64_t sum = 0;
  for (const Category category : kCategories) sum += total(rank, category, time_ns);
  return sum;
}

int64_t MemoryHistory::peak(int rank, Category category, int64_t time_ns) const {
  const Track& found = track(rank, category);
  const size_t events = events_until(found, time_ns);
  return events == 0 ? 0 : found.events[events - 1].peak_bytes;
}

int64_t MemoryHistory::peak(int rank, int64_t time_ns) const {
  int64_t highest = 0;
  for (const Category category : kCategories) {
    const Track& found = track(rank, category);
    const size_t events = events_until(found, time_ns);
    if (events > 0) highest = std::max(highest, found.peaks[events - 1]);
  }
  return highest;
}

}  // namespace ringside::ui
