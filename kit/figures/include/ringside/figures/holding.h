// What a block of memory is to the other ranks: a part of what is cut among them, or the whole of it; and
// whether its bytes agree with theirs. From what a training recorded: how large the block is, how much its
// collectives move, and its hashes. How it is distributed is not asked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

// What ranks may cut among them.
inline constexpr Category kStateKinds[] = {Category::kParameters, Category::kGradients, Category::kOptimizer};
bool is_state(Category category);

// Bytes an element of that kind, unsharded; 0 for what is not cut. The lesson knows its optimizer.
using StateWidth = int64_t (*)(const SectionView& section, Category category);

// Of the unit that a collective moves ("bucket 3", "layer 2"), on all ranks together, with its padding.
int64_t whole_elements(const CollectiveEvent& event, int ranks);
// Bytes of a category that a rank held at that instant.
int64_t live_at(const SectionView& section, int rank, Category category, int64_t time_ns);

struct Holding {
  // kShareAndWhole: a part and, until it is summed, the rank's own whole beside it.
  enum class Extent : uint8_t { kUnknown, kShare, kWhole, kShareAndWhole };
  enum class Bytes : uint8_t { kNotCompared, kEqual, kDifferent };
  Extent extent = Extent::kUnknown;
  Bytes bytes = Bytes::kNotCompared;  // with those that it is held against
};

// `whole`: bytes of all of it, 0 where that is not known.
Holding::Extent extent_of(int64_t bytes, int64_t whole, int ranks);
// Equal where all ranks have one hash; not compared where one of them has none.
Holding::Bytes bytes_of(const std::map<int, std::string>& hashes, int ranks);
// Of one rank's beside another's.
Holding::Bytes bytes_beside(const std::map<int, std::string>& hashes, int rank, int other);
// Of all bytes of state, the share (0 to 1) that a lower rank holds too, bit for bit, when hashes were taken:
// same kind, same tensor, same hash. None where the section recorded no hashes.
std::optional<double> copied_share(const Trace& trace, const SectionView& section);
std::string part_name(int ranks);  // "quarter": what each of four ranks holds of a whole

}  // namespace ringside::figure

namespace ringside::inline kit {

// "blocks": what each rank holds at an instant, kind by kind: filled what lies there, an outline what of the
// same whole lies on other ranks.
FigureSpec figure_of_holdings(figure::StateWidth width, std::string section,
                              std::vector<std::string> answers = {});

}  // namespace ringside::inline kit
