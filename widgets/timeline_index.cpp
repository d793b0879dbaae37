#include "ringside/widgets/timeline_index.h"

#include <algorithm>

namespace ringside::ui {
namespace {

// How far back an item that comes late is put in; beyond that the cost of moving the rest would add up.
constexpr size_t kLate = 4096;

bool insert_into(std::vector<TimelineLane>& lanes, const TimelineLane::Item& item) {
  for (TimelineLane& lane : lanes)
    if (lane.insert(item)) return true;
  if (lanes.size() == TimelineIndex::kLanes) return false;
  lanes.emplace_back();
  return lanes.back().insert(item);
}

}  // namespace

bool TimelineLane::insert(const Item& item) {
  if (items_.empty() || item.start_ns >= items_.back().end_ns) {
    items_.push_back(item);
    measure(items_.size() - 1);
    return true;
  }
  const size_t at = first_starting_at(item.end_ns);
  const bool overlaps = at > 0 && items_[at - 1].end_ns > item.start_ns;
  if (overlaps || items_.size() - at > kLate) return false;
  items_.insert(items_.begin() + std::ptrdiff_t(at), item);
  measure(at);
  return true;
}

void TimelineLane::measure(size_t from) {
  run_.resize(items_.size());
  busy_.resize(items_.size());
  for (size_t i = from; i < items_.size(); ++i) {
    const bool like = i > 0 && items_[i - 1].kind == items_[i].kind;
    run_[i] = like ? run_[i - 1] : uint32_t(i);
    busy_[i] = (i > 0 ? busy_[i - 1] : 0) + items_[i].end_ns - items_[i].start_ns;
  }
}

size_t TimelineLane::first_ending_after(int64_t time_ns) const {
  const auto found = std::upper_bound(items_.begin(), items_.end(), time_ns,
                                      [](int64_t t, const Item& item) { return t < item.end_ns; });
  return size_t(found - items_.begin());
}

size_t TimelineLane::first_starting_at(int64_t time_ns, size_t from) const {
  const auto found = std::lower_bound(items_.begin() + std::ptrdiff_t(from), items_.end(), time_ns,
                                      [](const Item& item, int64_t t) { return item.start_ns < t; });
  return size_t(found - items_.begin());
}

int64_t TimelineLane::busy_ns(size_t first, size_t last) const {
  return busy_[last - 1] - (first > 0 ? busy_[first - 1] : 0);
}

// A section's tracks stay where they are, and the index keeps them there.
const void* TimelineIndex::identity_of(const SectionView& section) {
  return section.ranks() > 0 ? &section.memory_pyramid(0, kCategories[0]) : nullptr;
}

void TimelineIndex::update(const Trace& trace, const SectionView& section, std::string_view step) {
  const void* identity = identity_of(section);
  if (identity != identity_ || ranks() != section.ranks() || step != step_) {
    *this = {};
    identity_ = identity;
    step_ = step;
    ranks_.resize(size_t(section.ranks()));
  }
  section_ = section;
  for (int rank = 0; rank < ranks(); ++rank) {
    take_spans(trace, rank);
    take_collectives(rank);
    for (const Category category : kCategories) {
      const size_t size = section.memory(rank, category).size();
      if (size == 0) continue;
      widen(section.memory_pyramid(rank, category).time(0));
      widen(section.memory_pyramid(rank, category).time(size - 1));
    }
  }
}

bool TimelineIndex::only_steps() const {
  return std::ranges::all_of(ranks_, [](const Rank& rank) {
    return rank.compute.empty() && rank.waits.empty() && rank.comm.empty() && rank.open.empty();
  });
}

void TimelineIndex::widen(int64_t time_ns) {
  first_ns_ = std::min(first_ns_, time_ns);
  last_ns_ = std::max(last_ns_, time_ns);
}

TimelineIndex::Kind TimelineIndex::kind_of(const Trace& trace, NameId name) {
  const auto [found, is_new] = kinds_.try_emplace(name, Kind::kWork);
  if (is_new) {
    const std::string& text = trace.name(name);
    if (text == step_) found->second = Kind::kStep;
    if (text.starts_with("wait")) found->second = Kind::kWait;
    if (found->second == Kind::kWork) phases_.push_back(name);
  }
  return found->second;
}

void TimelineIndex::take_spans(const Trace& trace, int rank) {
  Rank& into = ranks_[size_t(rank)];
  const EventRange<SpanEvent> spans = section_.spans(rank);
  for (; into.spans < spans.size(); ++into.spans) {
    const SpanEvent& span = spans[into.spans];
    if (span.end_ns < span.start_ns) continue;
    widen(span.start_ns);
    widen(span.end_ns);
    const TimelineLane::Item item{span.start_ns, span.end_ns, uint32_t(into.spans), span.name};
    const Kind kind = kind_of(trace, span.name);
    const bool fits = kind == Kind::kStep   ? into.steps.insert(item)
                      : kind == Kind::kWait ? insert_into(into.waits, item)
                                            : insert_into(into.compute, item);
    if (!fits) ++into.left_out;
  }
}

void TimelineIndex::take_collectives(int rank) {
  Rank& into = ranks_[size_t(rank)];
  const EventRange<CollectiveEvent> events = section_.collectives(rank);
  for (; into.collectives < events.size(); ++into.collectives) {
    const CollectiveEvent& event = events[into.collectives];
    const auto index = uint32_t(into.collectives);
    widen(event.time_created_ns);
    const CollectiveKey key = key_of(event);
    if (event.state == CollectiveState::kScheduled || event.state == CollectiveState::kStarted) {
      into.open[key] = index;
      if (event.state == CollectiveState::kStarted) widen(event.time_started_ns);
      continue;
    }
    into.open.erase(key);
    widen(event.time_completed_ns);
    const int64_t start = event.time_started_ns != 0 ? event.time_started_ns : event.time_created_ns;
    if (event.time_completed_ns < start) continue;
    // What it carries and how: that gives its look.
    const uint32_t kind = event.tag * 16 + uint32_t(event.op);
    if (!insert_into(into.comm, {start, event.time_completed_ns, index, kind})) ++into.left_out;
    into.starts[{event.group, std::get<1>(key)}].push_back({event.collective_seq_id, start});
  }
}

TimelineIndex::CollectiveKey TimelineIndex::key_of(const CollectiveEvent& event) {
  const int32_t channel = event.op == Op::kSend   ? 2 * event.peer
                          : event.op == Op::kRecv ? 2 * event.peer + 1
                                                  : -1;
  return {event.group, channel, event.collective_seq_id};
}

std::optional<int64_t> TimelineIndex::start_of(const CollectiveEvent& event, int rank) const {
  int32_t channel = -1;
  if (event.op == Op::kSend || event.op == Op::kRecv) {
    const bool other_side = rank == event.peer;
    if (!other_side && rank != event.rank) return std::nullopt;
    channel = other_side ? 2 * event.rank + (event.op == Op::kSend ? 1 : 0) : std::get<1>(key_of(event));
  }
  const auto& all = this->rank(rank).starts;
  const auto found = all.find({event.group, channel});
  if (found == all.end()) return std::nullopt;
  // Completed in order, but for a late one or two.
  const auto& seqs = found->second;
  auto at = std::lower_bound(seqs.begin(), seqs.end(), std::pair(event.collective_seq_id, INT64_MIN));
  const auto end = at + std::min<std::ptrdiff_t>(seqs.end() - at, 8);
  at -= std::min<std::ptrdiff_t>(at - seqs.begin(), 8);
  for (; at != end; ++at)
    if (at->first == event.collective_seq_id) return at->second;
  return std::nullopt;
}

}  // namespace ringside::ui
