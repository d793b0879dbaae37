// What a block is, for the columns and in words. Every word follows from sizes, collectives and hashes of the
// trace (holding.h).
#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/panel/memory_picture.h"

namespace ringside {
namespace {

using figure::is_state;
using figure::part_name;
using figure::SectionIndex;
using Extent = figure::Holding::Extent;
using Bytes = figure::Holding::Bytes;

std::string list(const std::vector<int>& ranks) {
  return ranks.size() == 1 ? tr("rank {}", ranks[0]) : tr("ranks {}", fmt::join(ranks, ", "));
}

// The other ranks that hold a block of this name at this instant.
std::vector<int> others(const View& view, const ui::BlockId& id, int rank) {
  std::vector<int> ranks;
  for (int other = 0; other < view.memory->ranks(); ++other) {
    const auto& held = view.memory->at(other, id.category, view.playhead.time_ns);
    const bool has = std::ranges::any_of(held, [&](const auto& one) {
      return one.unit == id.unit && one.tensor == id.tensor && one.bytes > 0;
    });
    if (has && other != rank) ranks.push_back(other);
  }
  return ranks;
}

// Which other ranks ended with the same bytes; none where a hash is missing.
struct Twins {
  bool known = false;
  std::vector<int> equal, other;  // ranks, without this one
};

Twins twins_of(const View& view, const SectionIndex& index, const ui::BlockId& id, int rank) {
  Twins twins;
  if (id.unit != 0) return twins;
  const auto& hashes = index.hashes(id.category, view.trace.name(id.tensor));
  twins.known = hashes.contains(rank) && std::ssize(hashes) == view.section->ranks();
  for (const auto& [other, hash] : hashes) {
    if (other == rank || !twins.known) continue;
    (hash == hashes.at(rank) ? twins.equal : twins.other).push_back(other);
  }
  return twins;
}

std::vector<int> with(std::vector<int> ranks, int rank) {
  ranks.push_back(rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::string part_words(const std::string& name, int rank, int ranks, const std::vector<int>& rest,
                       const Twins& twins) {
  const std::string part = part_name(ranks);
  std::string text = tr("Rank {}'s {} of {}.", rank, part, name);
  if (rest.size() == 1) text += " " + tr("The other {}: {}.", part, list(rest));
  if (rest.size() > 1)
    text += " " + tr("The other {}: {}.", part == "half" ? "halves" : part + "s", list(rest));
  if (!twins.known) return text;
  return text + " " +
         (twins.equal.empty()
              ? tr("No copies.")
              : tr("After the last step {} hold the same bytes.", list(with(twins.equal, rank))));
}

std::string whole_words(const std::string& name, const ui::BlockId& id, int rank,
                        const std::vector<int>& rest, const Twins& twins) {
  if (rest.empty()) return tr("All of {}. No other rank holds it now.", name);
  if (twins.known && twins.equal.empty())
    return tr("All of {}, but no copy: after the last step no other rank has these bytes.", name);
  if (twins.known && twins.other.empty())
    return tr("A copy: after the last step the same bytes on {} (one hash).", list(with(twins.equal, rank)));
  if (twins.known)
    return tr("A copy: after the last step the same bytes on {} (one hash), and others on {}.",
              list(with(twins.equal, rank)), list(twins.other));
  if (id.unit != 0) return tr("All of {}, gathered for now, as on {}.", name, list(rest));
  return tr(
      "All of {}, as on {}. Whether they are copies is known after the last step, when hashes are taken.",
      name, list(rest));
}

std::string name_words(const std::vector<int>& rest) {
  if (rest.empty()) return tr("No other rank has a block of this name now.");
  return tr("A block of this name is on {} too.", list(rest));
}

std::string extent_words(const View& view, const SectionIndex& index, const ui::BlockId& id, int rank,
                         Extent extent) {
  const int ranks = view.section->ranks();
  const std::string& unit = view.trace.name(id.unit);
  const std::string name = unit.empty() ? view.trace.name(id.tensor) : unit;
  const std::vector<int> rest = others(view, id, rank);
  const Twins twins = twins_of(view, index, id, rank);
  switch (extent) {
    case Extent::kShare: return part_words(name, rank, ranks, rest, twins);
    case Extent::kWhole: return whole_words(name, id, rank, rest, twins);
    case Extent::kShareAndWhole:
      return tr("Rank {}'s {} of {}, and its own gradients of all of it, until they are summed.", rank,
                part_name(ranks), name);
    case Extent::kUnknown: break;
  }
  return name_words(rest);
}

}  // namespace

ui::BlockKind kind_of(const View& view, const figure::SectionIndex& index, const ui::BlockId& id, int rank,
                      int64_t bytes, int beside) {
  ui::BlockKind kind;
  if (!is_state(id.category) || view.section == nullptr) return kind;
  const Extent extent = index.extent(id.category, id.unit, id.tensor, bytes);
  if (extent != Extent::kUnknown) kind.parts = view.section->ranks();
  if (extent == Extent::kShare) kind.own = rank;
  Bytes same = Bytes::kNotCompared;
  if (id.unit == 0)
    same = figure::bytes_beside(index.hashes(id.category, view.trace.name(id.tensor)), rank, beside);
  // Parts of one whole are different bytes by their place, also before they are hashed.
  if (same == Bytes::kNotCompared && extent == Extent::kShare) same = Bytes::kDifferent;
  if (same == Bytes::kEqual) kind.same = ui::BlockKind::Same::kEqual;
  if (same == Bytes::kDifferent) kind.same = ui::BlockKind::Same::kDifferent;
  return kind;
}

std::string words_of(const View& view, const figure::SectionIndex* index, const ui::BlockId& id, int rank,
                     int64_t bytes) {
  const std::string category(to_string(id.category)), name = ui::block_name(view.trace, id),
                                                      size = format_bytes(double(bytes));
  std::string text = name.empty() ? tr("{}, {} on rank {}", category, size, rank)
                                  : tr("{}, {}, {} on rank {}", category, name, size, rank);
  if (index == nullptr) return text + "\n" + name_words(others(view, id, rank));
  if (id.category == Category::kActivations)
    return text + "\n" + tr("Of rank {}'s own samples: no other rank has these bytes.", rank);
  if (!is_state(id.category)) return text;
  const Extent extent = index->extent(id.category, id.unit, id.tensor, bytes);
  text += "\n" + extent_words(view, *index, id, rank, extent);
  if (const int64_t padding = index->padding(); padding > 0 && extent != Extent::kUnknown)
    text += "\n" + tr("All buckets together are padded by {} elements, so that {} ranks can share them.",
                      padding, view.section->ranks());
  return text;
}

}  // namespace ringside
