// What a block is, for the columns and in words. Every word follows from sizes, collectives and hashes of the
// trace (holding.h).
#include <fmt/format.h>

#include <algorithm>

#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

namespace ringside::zero_panel {
namespace {

using Extent = Holding::Extent;
using Bytes = Holding::Bytes;
using zero_lesson::part_name;

bool is_state(Category category) {
  return category == Category::kParameters || category == Category::kGradients ||
         category == Category::kOptimizer;
}

std::string list(const std::vector<int>& ranks) {
  return ranks.size() == 1 ? tr("rank {}", ranks[0]) : tr("ranks {}", fmt::join(ranks, ", "));
}

// The other ranks that hold a block of this name at this instant.
std::vector<int> others(const View& view, const ui::BlockId& id, int rank) {
  std::vector<int> ranks;
  for (int other = 0; other < view.memory->ranks(); ++other) {
    const auto& held = view.memory->at(other, id.category, view.playhead.time_ns);
    const bool has = std::any_of(held.begin(), held.end(), [&](const auto& one) {
      return one.unit == id.unit && one.tensor == id.tensor && one.bytes > 0;
    });
    if (has && other != rank) ranks.push_back(other);
  }
  return ranks;
}

std::string part_words(const std::string& name, int rank, int ranks, const std::vector<int>& rest,
                       Bytes bytes) {
  const std::string part = part_name(ranks);
  std::string text = tr("Rank {}'s {} of {}.", rank, part, name);
  if (rest.size() == 1) text += tr(" The other {}: {}.", part, list(rest));
  if (rest.size() > 1) text += tr(" The other {}: {}.", part == "half" ? "halves" : part + "s", list(rest));
  if (bytes == Bytes::kDifferent) text += tr(" No copies.");
  if (bytes == Bytes::kEqual) text += tr(" After the last step all of them have one hash.");
  return text;
}

std::string whole_words(const std::string& name, const ui::BlockId& id, int rank,
                        const std::vector<int>& rest, Bytes bytes) {
  std::vector<int> all = rest;
  all.push_back(rank);
  std::sort(all.begin(), all.end());
  if (rest.empty()) return tr("All of {}. No other rank holds it now.", name);
  if (bytes == Bytes::kEqual)
    return tr("A copy: after the last step the same bytes on {} (one hash).", list(all));
  if (bytes == Bytes::kDifferent)
    return tr("All of {}, but no copy: after the last step {} ranks have {} hashes.", name, all.size(),
              all.size());
  if (id.unit != 0) return tr("All of {}, gathered for now, as on {}.", name, list(rest));
  return tr(
      "All of {}, as on {}. Hashes come after the last step: until then nobody knows whether they are "
      "copies.",
      name, list(rest));
}

std::string extent_words(const View& view, const SectionIndex& index, const ui::BlockId& id, int rank,
                         const Holding& holding) {
  const int ranks = view.section->ranks();
  const std::string& unit = view.trace.name(id.unit);
  const std::string name = unit.empty() ? view.trace.name(id.tensor) : unit;
  const std::vector<int> rest = others(view, id, rank);
  switch (holding.extent) {
    case Extent::kShare:
      return part_words(name, rank, ranks, rest, holding.bytes);
    case Extent::kWhole:
      return whole_words(name, id, rank, rest, holding.bytes);
    case Extent::kShareAndWhole:
      return tr("Rank {}'s {} of {}, and its own gradients of all of it, until they are summed.", rank,
                part_name(ranks), name);
    case Extent::kUnknown:
      break;
  }
  if (rest.empty()) return tr("No other rank has a block of this name now.");
  return tr("A block of this name is on {} too.", list(rest));
}

}  // namespace

ui::BlockKind kind_of(const View& view, const SectionIndex& index, const ui::BlockId& id, int rank,
                      int64_t bytes) {
  ui::BlockKind kind;
  if (!is_state(id.category) || view.section == nullptr) return kind;
  const Holding holding = index.holding(view.trace, id.category, id.unit, id.tensor, bytes);
  if (holding.extent != Extent::kUnknown) kind.parts = view.section->ranks();
  if (holding.extent == Extent::kShare) kind.own = rank;
  if (holding.bytes == Bytes::kEqual) kind.same = ui::BlockKind::Same::kEqual;
  // Parts of one whole are different bytes by their place, also before they are hashed.
  if (holding.bytes == Bytes::kDifferent ||
      (holding.extent == Extent::kShare && holding.bytes == Bytes::kNotCompared))
    kind.same = ui::BlockKind::Same::kDifferent;
  return kind;
}

std::string words_of(const View& view, const SectionIndex& index, const ui::BlockId& id, int rank,
                     int64_t bytes) {
  const std::string category(to_string(id.category)), name = ui::block_name(view.trace, id),
                                                      size = format_bytes(static_cast<double>(bytes));
  std::string text = name.empty() ? tr("{}, {} on rank {}", category, size, rank)
                                  : tr("{}, {}, {} on rank {}", category, name, size, rank);
  if (id.category == Category::kActivations)
    return text + "\n" + tr("Of rank {}'s own samples: no other rank has these bytes.", rank);
  if (!is_state(id.category)) return text;
  const Holding holding = index.holding(view.trace, id.category, id.unit, id.tensor, bytes);
  text += "\n" + extent_words(view, index, id, rank, holding);
  if (const int64_t padding = index.padding(); padding > 0 && holding.extent != Extent::kUnknown)
    text += "\n" + tr("All buckets together are padded by {} elements, so that {} ranks can share them.",
                      padding, view.section->ranks());
  return text;
}

}  // namespace ringside::zero_panel
