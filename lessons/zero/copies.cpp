// Which bytes of state are on a lower rank as well: same kind, same bucket, same hash.
#include <set>
#include <tuple>

#include "measure.h"

namespace ringside::zero_lesson {
namespace {

struct HashNote {
  Category category;
  std::string hash;
};

// "hash optimizer 3fa2b1c49d0e77aa"; none for other notes.
std::optional<HashNote> read_hash(const std::string& name) {
  constexpr std::string_view kPrefix = "hash ";
  const size_t blank = name.rfind(' ');
  if (!name.starts_with(kPrefix) || blank < kPrefix.size()) return std::nullopt;
  const auto category =
      from_text<Category>(std::string_view(name).substr(kPrefix.size(), blank - kPrefix.size()));
  if (!category) return std::nullopt;
  return HashNote{*category, name.substr(blank + 1)};
}

// What the allocation hook had under this name at that moment.
int64_t live_bytes(const EventRange<MemoryEvent>& events, NameId tensor, int64_t time_ns) {
  int64_t bytes = 0;
  for (const MemoryEvent& event : events) {
    if (event.time_ns > time_ns) break;
    if (event.tensor == tensor) bytes += event.delta_bytes;
  }
  return bytes;
}

}  // namespace

std::optional<double> copied_share(const Trace& trace, const SectionView& section) {
  std::set<std::tuple<Category, NameId, std::string>> seen;
  double all = 0, copied = 0;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    for (const NoteEvent& note : section.notes(rank)) {
      const auto hash = read_hash(trace.name(note.name));
      if (!hash) continue;
      const auto bytes =
          static_cast<double>(live_bytes(section.memory(rank, hash->category), note.unit, note.time_ns));
      all += bytes;
      if (!seen.emplace(hash->category, note.unit, hash->hash).second) copied += bytes;
    }
  }
  if (all == 0) return std::nullopt;
  return copied / all;
}

}  // namespace ringside::zero_lesson
