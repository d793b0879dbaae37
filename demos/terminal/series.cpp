#include "series.h"

#include <algorithm>
#include <limits>
#include <map>

#include "ringside/trace/training_rows.h"

namespace ringside {
namespace {

constexpr double kNsPerSecond = 1e9;

void add_scalars(const Trace& trace, const SectionView& section, int rank, std::vector<Series>& all) {
  std::map<NameId, size_t> known;
  for (const ScalarEvent& event : section.scalars(rank)) {
    const auto [found, added] = known.emplace(event.name, all.size());
    const std::string& name = trace.name(event.name);
    if (added) all.push_back({section.name() + "/" + name, std::string(unit_of_scalar(name)), rank, {}, {}});
    Series& series = all[found->second];
    series.x.push_back(double(event.step));
    series.y.push_back(event.value);
  }
}

int64_t first_memory_event(const SectionView& section) {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (int rank = 0; rank < section.ranks(); ++rank) {
    for (const Category category : kCategories) {
      const auto events = section.memory(rank, category);
      if (!events.empty()) first = std::min(first, events[0].time_ns);
    }
  }
  return first;
}

void thin_out(const Pyramid& pyramid, size_t size, int64_t origin_ns, Series& series) {
  const int64_t start = pyramid.time(0);
  const int64_t span = std::max<int64_t>(1, pyramid.time(size - 1) - start + 1);
  size_t from = 0;
  for (size_t i = 0; i < kMemoryPoints; ++i) {
    const int64_t until = start + span * int64_t(i + 1) / int64_t(kMemoryPoints);
    const size_t to = pyramid.lower_bound(until, size);
    if (const auto range = pyramid.range(from, to)) {
      series.x.push_back(double(pyramid.time(from) - origin_ns) / kNsPerSecond);
      series.y.push_back(range->max);
    }
    from = to;
  }
}

void add_memory(const SectionView& section, int rank, int64_t origin_ns, std::vector<Series>& all) {
  for (const Category category : kCategories) {
    const auto events = section.memory(rank, category);
    if (events.empty()) continue;
    Series series{section.name() + "/memory/" + std::string(to_string(category)), "bytes", rank, {}, {}};
    if (events.size() <= kMemoryPoints) {
      for (const MemoryEvent& event : events) {
        series.x.push_back(double(event.time_ns - origin_ns) / kNsPerSecond);
        series.y.push_back(double(event.live_bytes));
      }
    } else {
      thin_out(section.memory_pyramid(rank, category), events.size(), origin_ns, series);
    }
    all.push_back(std::move(series));
  }
}

}  // namespace

std::vector<Series> series_of(const Trace& trace) {
  std::vector<Series> all;
  for (const SectionView& section : trace.sections()) {
    const int64_t origin_ns = first_memory_event(section);
    for (int rank = 0; rank < section.ranks(); ++rank) {
      add_scalars(trace, section, rank, all);
      add_memory(section, rank, origin_ns, all);
    }
  }
  return all;
}

}  // namespace ringside
