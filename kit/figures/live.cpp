#include "ringside/figures/live.h"

#include <algorithm>
#include <numeric>

#include "ringside/figures/holding.h"
#include "ringside/figures/in_time.h"
#include "ringside/lesson/tr.h"
#include "ringside/trace/training_rows.h"

namespace ringside::figure {
namespace {

size_t place(Category category) { return size_t(category); }

}  // namespace

void LiveIndex::update(const Trace& trace, const SectionView& section, uint64_t run) {
  const std::string of = std::to_string(run) + section.name();
  if (of != of_) *this = LiveIndex();
  of_ = of, trace_ = trace, section_ = section;
  ranks_.resize(size_t(section.ranks()));
  scalars_seen_.resize(ranks_.size());
  for (int rank = 0; rank < ranks(); ++rank) {
    Rank& one = ranks_[size_t(rank)];
    one.steps.update(section, rank);
    take_memory(rank);
    take_messages(rank);
    take_rows(rank);
    const auto events = section.collectives(rank);
    while (one.collectives < events.size()) take_collective(one, events[one.collectives++]);
  }
  take_scalars();
}

std::string LiveIndex::name_of(int rank) const {
  const std::string& name = ranks_[size_t(rank)].name;
  return name.empty() ? tr("rank {}", rank) : name;
}

size_t LiveIndex::events_of(int rank) const {
  const auto& seen = ranks_[size_t(rank)].memory;
  return std::accumulate(seen.begin(), seen.end(), size_t{0});
}

void LiveIndex::take_rows(int rank) {
  Rank& one = ranks_[size_t(rank)];
  const auto rows = section_->rows(rank);
  for (; one.rows < rows.size(); ++one.rows) take_server_row(one, rows[one.rows]);
}

// ---- Memory -------------------------------------------------------------------------------

void LiveIndex::take_memory(int rank) {
  Rank& one = ranks_[size_t(rank)];
  for (const Category category : kCategories) {
    const auto events = section_->memory(rank, category);
    auto& peaks = one.peaks[place(category)];
    for (size_t& seen = one.memory[place(category)]; seen < events.size(); ++seen) {
      const MemoryEvent& event = events[seen];
      if (peaks.empty() || event.total_bytes > peaks.back().second)
        peaks.emplace_back(event.time_ns, event.total_bytes);
      has_memory_ = true;
    }
  }
}

int64_t LiveIndex::peak_until(int rank, int64_t time_ns) const {
  int64_t highest = 0;
  for (const auto& peaks : ranks_[size_t(rank)].peaks) {
    const auto after = std::ranges::upper_bound(peaks, time_ns, {}, &std::pair<int64_t, int64_t>::first);
    if (after != peaks.begin()) highest = std::max(highest, std::prev(after)->second);
  }
  return highest;
}

LiveMemory LiveIndex::memory(int rank, int64_t time_ns) const {
  LiveMemory memory;
  for (const Category category : kCategories) {
    const int64_t bytes = live_at(*section_, rank, category, time_ns);
    memory.kinds[place(category)] = bytes;
    memory.total += bytes;
  }
  memory.peak = peak_until(rank, time_ns);
  for (int other = 0; other < ranks(); ++other) {
    const int64_t peak = peak_until(other, time_ns);
    if (peak > memory.highest) memory.highest = peak, memory.highest_rank = other;
  }
  return memory;
}

std::vector<int64_t> LiveIndex::spark(int rank, int64_t from_ns, int64_t to_ns, size_t instants) const {
  std::vector<int64_t> totals(instants);
  for (size_t i = 0; i < instants; ++i) {
    const auto part = double(i) / double(std::max<size_t>(1, instants - 1));
    const int64_t time_ns = from_ns + int64_t(part * double(to_ns - from_ns));
    for (const Category category : kCategories) totals[i] += live_at(*section_, rank, category, time_ns);
  }
  return totals;
}

// ---- Values -------------------------------------------------------------------------------

void LiveIndex::take_scalars() {
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto events = section_->scalars(rank);
    for (size_t& seen = scalars_seen_[size_t(rank)]; seen < events.size(); ++seen) {
      Scalar& scalar = scalars_[events[seen].name];
      if (scalar.events.empty()) scalar.name = trace_.name(events[seen].name);
      if (scalar.events.empty() || scalar.events.front().rank == rank) scalar.events.push_back(events[seen]);
    }
  }
}

std::vector<LiveValue> LiveIndex::values(int64_t time_ns) const {
  std::vector<const Scalar*> in_order;  // in which they began, whatever numbers this trace gave their names
  for (const auto& [id, scalar] : scalars_)
    if (!scalar.events.empty()) in_order.push_back(&scalar);
  std::ranges::sort(in_order, {},
                    [](const Scalar* one) { return std::pair(one->events.front().time_ns, one->name); });
  std::vector<LiveValue> values;
  for (const Scalar* scalar : in_order) {
    const auto after = std::ranges::upper_bound(scalar->events, time_ns, {}, &ScalarEvent::time_ns);
    if (after == scalar->events.begin()) continue;
    const ScalarEvent& last = *std::prev(after);
    values.push_back({scalar->name, std::string(unit_of_scalar(scalar->name)), last.value, last.step,
                      time_ns - last.time_ns});
  }
  return values;
}

}  // namespace ringside::figure
