// The counted side of the ledger: reads what the hooks recorded, computes nothing.
#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "ringside/ledger/ledger.h"

namespace ringside {
namespace {

LedgerRow memory_row(const SectionView& section, int rank, std::string_view category, const char* at,
                     int64_t bytes) {
  LedgerRow row;
  row.what = "memory";
  row.section = section.name();
  row.rank = rank;
  row.category = category;
  row.at = at;
  row.counted = bytes;
  return row;
}

// The last time this note was made on the rank; none where it never was.
std::optional<int64_t> last_note(const Trace& trace, const EventRange<NoteEvent>& notes,
                                 std::string_view name) {
  for (size_t index = notes.size(); index-- > 0;)
    if (trace.name(notes[index].name) == name) return notes[index].time_ns;
  return std::nullopt;
}

// Live bytes of one category at `time_ns`: after the last event at or before it.
int64_t live_at(const EventRange<MemoryEvent>& events, int64_t time_ns) {
  const auto by_time = std::views::iota(size_t{0}, events.size());  // times do not decrease
  const size_t end =
      *std::ranges::partition_point(by_time, [&](size_t index) { return events[index].time_ns <= time_ns; });
  return end == 0 ? 0 : events[end - 1].live_bytes;
}

void count_moments(const Trace& trace, const SectionView& section, int rank, std::vector<LedgerRow>& rows) {
  for (const char* at : {kAfterConstruction, kStepEntry, kAfterStep}) {
    const auto time_ns = last_note(trace, section.notes(rank), at);
    if (!time_ns) continue;
    for (const Category category : kCategories)
      rows.push_back(memory_row(section, rank, to_string(category), at,
                                live_at(section.memory(rank, category), *time_ns)));
  }
}

void count_peaks(const SectionView& section, int rank, std::vector<LedgerRow>& rows) {
  int64_t total = 0;
  for (const Category category : kCategories) {
    const auto events = section.memory(rank, category);
    for (const MemoryEvent& event : events) total = std::max(total, event.total_bytes);
    rows.push_back(
        memory_row(section, rank, to_string(category), kPeak, events.empty() ? 0 : events.back().peak_bytes));
  }
  rows.push_back(memory_row(section, rank, "total", kPeak, total));
}

void count_traffic(const Trace& trace, const SectionView& section, int rank, std::vector<LedgerRow>& rows) {
  std::map<std::pair<std::string_view, std::string_view>, LedgerRow> sent;  // by (tag, op)
  for (const CollectiveEvent& event : section.collectives(rank)) {
    if (event.state != CollectiveState::kCompleted) continue;
    LedgerRow& row = sent[{trace.name(event.tag), to_string(event.op)}];
    if (event.bytes_sent != kNotObservable)
      row.counted += event.bytes_sent;
    else if (row.reasons.empty())
      row.reasons.push_back({kHiddenBytes, 0});
  }
  for (auto& [tag_and_op, row] : sent) {
    row.what = "traffic";
    row.section = section.name();
    row.rank = rank;
    row.category = tag_and_op.first;
    row.op = tag_and_op.second;
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<LedgerRow> count_rows(const Trace& trace, const SectionView& section) {
  std::vector<LedgerRow> rows;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    count_moments(trace, section, rank, rows);
    count_peaks(section, rank, rows);
    count_traffic(trace, section, rank, rows);
  }
  return rows;
}

}  // namespace ringside
