#include "ringside/ledger/ledger.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "ringside/base/check.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline ledger {
namespace {

using Key = std::tuple<std::string, int, std::string, std::string, std::string>;
Key key_of(const LedgerRow& row) { return {row.what, row.rank, row.category, row.at, row.op}; }

std::string describe(const LedgerRow& row) {
  return row.what + " rank " + std::to_string(row.rank) + " " + row.category + " " + row.at + row.op;
}

using Rows = std::map<Key, LedgerRow>;
Rows index_rows(const std::vector<LedgerRow>& rows) {
  Rows index;
  for (const LedgerRow& row : rows)
    RINGSIDE_CHECK(index.emplace(key_of(row), row).second, "two ledger rows for " << describe(row));
  return index;
}

// ---- The counted side: reads what the hooks recorded, computes nothing

LedgerRow memory_row(const SectionView& section, int rank, std::string_view category, const char* at,
                     int64_t bytes) {
  return {"memory", section.name(), rank, std::string(category), at, "", std::nullopt, bytes, {}};
}

// After the last event at or before `time_ns`.
int64_t live_at(const SectionView& section, int rank, Category category, int64_t time_ns) {
  const auto events = section.memory(rank, category);
  const size_t after = section.memory_pyramid(rank, category).lower_bound(time_ns + 1, events.size());
  return after == 0 ? 0 : events[after - 1].live_bytes;
}

// Of "other" what has the tensor's name, after the last event at or before `time_ns`.
int64_t live_of(const Trace& trace, const SectionView& section, int rank, std::string_view tensor,
                int64_t time_ns) {
  int64_t bytes = 0;
  for (const MemoryEvent& event : section.memory(rank, Category::kOther))
    if (event.time_ns <= time_ns && trace.name(event.tensor) == tensor) bytes += event.delta_bytes;
  return bytes;
}

void count_moments(const Trace& trace, const SectionView& section, int rank, std::vector<LedgerRow>& rows) {
  std::map<std::string_view, int64_t> last_ns;  // time of each note
  for (const NoteEvent& note : section.notes(rank)) last_ns[trace.name(note.name)] = note.time_ns;
  for (const char* at : {kAfterConstruction, kBetweenMicroBatches, kStepEntry, kAfterStep}) {
    const auto last = last_ns.find(at);
    if (last == last_ns.end()) continue;
    for (const Category category : kCategories)
      rows.push_back(
          memory_row(section, rank, to_string(category), at, live_at(section, rank, category, last->second)));
    for (const char* name : {kAllocatorRounding, kWorkSpace, kCheckpointCopy})
      if (const int64_t bytes = live_of(trace, section, rank, name, last->second); bytes != 0)
        rows.back().reasons.push_back({name, bytes});  // the last category is "other"
  }
}

// A GPU's allocator keeps memory for all ranks: no rank's total has it.
void count_cached(const Trace& trace, const SectionView& section, int rank, std::vector<LedgerRow>& rows) {
  double most = 0;
  for (const ScalarEvent& event : section.scalars(rank))
    if (trace.name(event.name) == kCachedMemory) most = std::max(most, event.value);
  if (most > 0) rows.push_back(memory_row(section, rank, kCachedMemory, kPeak, int64_t(most)));
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

// Every sending of a message, also of one that was lost or sent again.
void count_messages(const Trace& trace, const SectionView& section, int rank, std::vector<LedgerRow>& rows) {
  std::map<std::string_view, int64_t> sent;  // by tag
  for (const MessageEvent& message : section.messages(rank))
    if (message.state == MessageState::kSent) sent[trace.name(message.tag)] += message.bytes;
  for (const auto& [tag, bytes] : sent)
    rows.push_back(
        {"traffic", section.name(), rank, std::string(tag), "", kMessageOp, std::nullopt, bytes, {}});
}

}  // namespace

bool counted_only(const LedgerRow& row) {
  if (row.what != "memory") return row.op == kMessageOp;
  const bool is_state = row.category == to_string(Category::kParameters) ||
                        row.category == to_string(Category::kGradients) ||
                        row.category == to_string(Category::kOptimizer);
  return !is_state || row.at == kPeak;
}

std::vector<LedgerRow> reconcile(std::vector<LedgerRow> predicted, const std::vector<LedgerRow>& counted) {
  const Rows predictions = index_rows(predicted);
  const Rows counts = index_rows(counted);
  std::vector<LedgerRow> rows = std::move(predicted);
  for (LedgerRow& row : rows) {
    const auto found = counts.find(key_of(row));
    row.counted = found == counts.end() ? 0 : found->second.counted;
    if (found != counts.end() && !found->second.reasons.empty())
      row.reasons.push_back({kHiddenBytes, row.unexplained()});
    if (!counted.empty()) row.section = counted.front().section;
  }
  for (const LedgerRow& row : counted) {
    RINGSIDE_CHECK_EQ(row.section, counted.front().section);
    if (predictions.contains(key_of(row))) continue;
    rows.push_back(row);
    if (!counted_only(row)) rows.back().predicted = 0;
  }
  return rows;
}

int64_t unexplained_bytes(const std::vector<LedgerRow>& rows) {
  int64_t bytes = 0;
  for (const LedgerRow& row : rows) bytes += std::abs(row.unexplained());
  return bytes;
}

std::vector<LedgerRow> count_rows(const Trace& trace, const SectionView& section) {
  std::vector<LedgerRow> rows;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    count_moments(trace, section, rank, rows);
    count_peaks(section, rank, rows);
    count_cached(trace, section, rank, rows);
    count_traffic(trace, section, rank, rows);
    count_messages(trace, section, rank, rows);
  }
  return rows;
}

}  // namespace ringside::inline ledger
