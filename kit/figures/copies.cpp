// Which bytes of state are on a lower rank as well: same kind, same bucket, same hash.
#include <set>
#include <tuple>

#include "ringside/figures/holding.h"
#include "ringside/trace/training_rows.h"

namespace ringside::figure {
namespace {

// What the allocation hook had under this name at that moment.
int64_t live_bytes(const Trace& trace, const EventRange<MemoryEvent>& events, const std::string& tensor,
                   int64_t time_ns) {
  std::optional<NameId> id;
  int64_t bytes = 0;
  for (const MemoryEvent& event : events) {
    if (event.time_ns > time_ns) break;
    if (!id && trace.name(event.tensor) == tensor) id = event.tensor;
    if (event.tensor == id) bytes += event.delta_bytes;
  }
  return bytes;
}

}  // namespace

std::optional<double> copied_share(const Trace& trace, const SectionView& section) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  double all = 0, copied = 0;
  for (const RowEvent* event : section.rows_of(TensorHash::kTable)) {
    const auto row = row_as<TensorHash>(*event);
    const auto category = row ? from_text<Category>(row->category) : std::nullopt;
    if (!category) continue;
    const auto bytes =
        double(live_bytes(trace, section.memory(event->rank, *category), row->tensor, event->time_ns));
    all += bytes;
    if (!seen.emplace(row->category, row->tensor, row->hash).second) copied += bytes;
  }
  if (all == 0) return std::nullopt;
  return copied / all;
}

}  // namespace ringside::figure
