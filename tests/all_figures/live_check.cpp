#include <catch.h>

#include <algorithm>

#include "live_check.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/live.h"
#include "ringside/ledger/ledger.h"

namespace ringside::figure {
namespace {

constexpr int64_t kInstants = 24;  // of a section from which it is looked at
constexpr int64_t kSecond = 1'000'000'000;
constexpr const char* kThatMove[] = {"zero", "optimizers", "norms", "parameter_server", "nccl_timeout"};

int64_t sent_at(const LiveIndex& index, const LedgerRow& row, int64_t time_ns) {
  const std::string what = row.op == kMessageOp ? "" : row.op;
  int64_t bytes = 0;
  for (const LiveSent& kind : index.traffic(row.rank, time_ns).kinds)
    if (kind.what == what && kind.carried == row.category) bytes += kind.all_bytes;
  return bytes;
}

// The last note of that name on the rank: when the ledger counted.
std::optional<int64_t> counted_at(const Trace& trace, const SectionView& section, const LedgerRow& row) {
  std::optional<int64_t> time_ns;
  for (const NoteEvent& note : section.notes(row.rank))
    if (trace.name(note.name) == row.at) time_ns = note.time_ns;
  return time_ns;
}

int64_t check_ledger(const Trace& trace) {
  int64_t compared = 0;
  for (const LedgerRow& row : trace.rows().ledger) {
    const SectionView* section = trace.find(row.section);
    if (section == nullptr) continue;
    INFO(row.section << ", rank " << row.rank << ": " << row.what << " " << row.category << " " << row.op
                     << row.at);
    LiveIndex index;
    index.update(trace, *section, 0);
    if (row.what == "traffic" && row.counted != kNotObservable) {
      CHECK(sent_at(index, row, INT64_MAX) == row.counted);
      ++compared;
    }
    const auto time_ns = row.what == "memory" ? counted_at(trace, *section, row) : std::nullopt;
    if (row.at == kPeak && row.category == "total")
      CHECK(index.memory(row.rank, INT64_MAX).peak == row.counted);
    if (!time_ns) continue;
    const LiveMemory memory = index.memory(row.rank, *time_ns);
    for (const Category category : kCategories)
      if (to_string(category) == row.category)
        CHECK(memory.kinds[static_cast<size_t>(category)] == row.counted);
    ++compared;
  }
  return compared;
}

std::string lines_of(const Lesson& lesson, const FigureInput& input, LivePart part) {
  std::string text;
  if (lesson.live)
    for (const LiveLine& line : lesson.live(input))
      if (line.part == part) text += line.name + std::to_string(line.value) + line.more;
  return text;
}

// What each part says at that instant.
std::array<std::string, 3> parts_at(const Lesson& lesson, const LiveIndex& index, const FigureInput& input) {
  std::array<std::string, 3> parts;
  const LiveMemory memory = index.memory(0, input.time_ns);
  for (const int64_t bytes : memory.kinds) parts[0] += std::to_string(bytes) + " ";
  for (const LiveSent& kind : index.traffic(0, input.time_ns).kinds)
    parts[1] += kind.carried + std::to_string(kind.all_bytes) + " " + std::to_string(kind.bytes) + " ";
  for (const LiveValue& value : index.values(input.time_ns))
    parts[2] += value.name + std::to_string(value.value);
  for (size_t i = 0; i < parts.size(); ++i) parts[i] += lines_of(lesson, input, static_cast<LivePart>(i));
  return parts;
}

// Three instants of a section a second apart, or closer where it is shorter, at which each part says another
// thing than at the one before.
bool moves(const Lesson& lesson, const Config& config, const Trace& trace, const SectionView& section) {
  LiveIndex index;
  index.update(trace, section, 0);
  if (index.ranks() == 0 || (!index.has_memory() && !index.has_traffic())) return false;
  const TimeRange range = time_range(section);
  const int64_t apart = std::min<int64_t>(kSecond, range.length() / 4);
  for (int64_t i = 0; i < kInstants; ++i) {
    const int64_t first = range.first + (range.length() - 2 * apart) * i / (kInstants - 1);
    std::array<std::array<std::string, 3>, 3> said;
    for (size_t at = 0; at < said.size(); ++at)
      said[at] = parts_at(lesson, index, {config, trace, &section, first + apart * static_cast<int64_t>(at)});
    bool all = true;
    for (size_t part = 0; part < said.size(); ++part)
      all = all && said[0][part] != said[1][part] && said[1][part] != said[2][part];
    if (all) return true;
  }
  return false;
}

void check_moves(const Lesson& lesson, const Config& config, const Trace& trace) {
  CHECK(std::ranges::any_of(
      trace.sections(), [&](const SectionView& section) { return moves(lesson, config, trace, section); }));
}

}  // namespace

void check_live(const Lesson& lesson, const Config& config, const Trace& trace) {
  const int64_t compared = check_ledger(trace);
  if (!trace.rows().ledger.empty()) CHECK(compared > 0);
  if (std::ranges::find(kThatMove, lesson.id) != std::end(kThatMove)) check_moves(lesson, config, trace);
}

}  // namespace ringside::figure
