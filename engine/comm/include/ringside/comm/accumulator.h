// What is done to elements: sums (or maxima) of a block of them, held in a wider type than the wire's, and
// the look for NaN.
//
//   acc = in_0;  acc = acc + in_1;  ...;  out = round(acc)
//
// float32 and bfloat16 are added in float32, float64 in float64, int64 in int64;
// a bfloat16 result is rounded once, to nearest even. The other types have no sum.
// The block is small, so that a reduction needs no staging buffer.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "ringside/comm/process_group.h"

namespace ringside {

class Accumulator {
 public:
  static constexpr int64_t kElements = 1024;  // of one block; 4 KiB in float32 stay in the first-level cache

  void set(ConstView block);               // acc = in;            block: (n), n <= kElements
  void add(ConstView block, ReduceOp op);  // acc = acc + in, or max(acc, in) where a NaN wins
  void store(MutableView block) const;     // out = round(acc)

 private:
  alignas(64) std::array<std::byte, kElements * sizeof(double)> block_;
};

bool has_sum(Dtype dtype);

// into = into + from, rounded once.  into, from: (n), any n; same dtype.
void add_into(MutableView into, ConstView from);

// Index of the first NaN or infinity; none where all are finite, or the type has neither.
std::optional<int64_t> first_non_finite(ConstView view);

}  // namespace ringside
