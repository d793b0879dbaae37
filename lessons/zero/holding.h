// What a block of memory is to the other ranks: a part of what is cut among them, or the whole of it; and
// whether its bytes agree with theirs. From what was recorded: how large the block is, how much its
// collectives move, and its hashes. The stage's number is not asked.
#pragma once

#include <algorithm>
#include <map>

#include "attributes.h"

namespace ringside::zero_lesson {

// Of the unit that a collective moves ("bucket 3", "layer 2"), on all ranks together, with its padding.
inline int64_t whole_elements(const CollectiveEvent& event, int ranks) {
  return event.op == Op::kAllGather ? event.elements * ranks : event.elements;
}

// Bytes an element of parameters, gradients, optimizer state; 0 for what is not cut. This lesson trains with
// AdamW: two moments in fp32, and in bf16 a master copy.
inline int64_t state_width(const SectionView& section, Category category) {
  if (!section.has("precision")) return 0;
  if (category == Category::kOptimizer) return is_bf16(section) ? 12 : 8;
  return category == Category::kParameters || category == Category::kGradients ? element_bytes(section) : 0;
}

struct Holding {
  // kShareAndWhole: a part and, until it is summed, the rank's own whole beside it.
  enum class Extent : uint8_t { kUnknown, kShare, kWhole, kShareAndWhole };
  enum class Bytes : uint8_t { kNotCompared, kEqual, kDifferent };
  Extent extent = Extent::kUnknown;
  Bytes bytes = Bytes::kNotCompared;  // with those that it is held against
};

// `whole`: bytes of all of it, 0 where that is not known.
inline Holding::Extent extent_of(int64_t bytes, int64_t whole, int ranks) {
  if (whole <= 0 || bytes <= 0 || ranks <= 0) return Holding::Extent::kUnknown;
  if (bytes == whole) return Holding::Extent::kWhole;
  if (bytes * ranks == whole) return Holding::Extent::kShare;
  if ((bytes - whole) * ranks == whole) return Holding::Extent::kShareAndWhole;
  return Holding::Extent::kUnknown;
}

// Equal where all ranks have one hash; not compared where one of them has none.
inline Holding::Bytes bytes_of(const std::map<int, std::string>& hashes, int ranks) {
  if (ranks < 2 || std::ssize(hashes) < ranks) return Holding::Bytes::kNotCompared;
  const bool equal = std::all_of(hashes.begin(), hashes.end(),
                                 [&](const auto& one) { return one.second == hashes.begin()->second; });
  return equal ? Holding::Bytes::kEqual : Holding::Bytes::kDifferent;
}

// Of one rank's beside another's.
inline Holding::Bytes bytes_beside(const std::map<int, std::string>& hashes, int rank, int other) {
  const auto mine = hashes.find(rank), theirs = hashes.find(other);
  if (mine == hashes.end() || theirs == hashes.end()) return Holding::Bytes::kNotCompared;
  return mine->second == theirs->second ? Holding::Bytes::kEqual : Holding::Bytes::kDifferent;
}

// "quarter": what each of four ranks holds of a whole.
inline std::string part_name(int ranks) {
  constexpr const char* kNames[] = {"half", "third", "quarter", "fifth", "sixth", "seventh", "eighth"};
  return ranks >= 2 && ranks <= 8 ? kNames[ranks - 2] : fmt::format("1/{}", ranks);
}

}  // namespace ringside::zero_lesson
