// A sum in kLanes lanes, as order.h has it: the order is the same whatever the width of a CPU's vectors, and
// no addition waits for the one before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "order.h"
#include "vector.h"

namespace ringside::norms {

// kBytes: of a vector.
template <typename Real, int kBytes>
struct Lanes {
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(Real)), kVectors = kLanes / kCount;
  Vector<Real, kCount> part[kVectors] = {};

  // What this part of the row and those before it have come to; the next part begins at 0.
  RINGSIDE_INLINE void end_part() {
    unrolled<kVectors>([&]<int64_t v>() RINGSIDE_INLINE_LAMBDA {
      before[v] += part[v];
      part[v] = Vector<Real, kCount>{};
    });
  }
  RINGSIDE_INLINE Real total(int64_t count) {
    if (count > kPartOfRow)
      unrolled<kVectors>([&]<int64_t v>() RINGSIDE_INLINE_LAMBDA { part[v] = before[v] + part[v]; });
    add_halves<kVectors / 2>();
    return sum_of<kCount, Real>(part[0]);
  }

 private:
  Vector<Real, kCount> before[kVectors] = {};

  template <int64_t kHalf>
  RINGSIDE_INLINE void add_halves() {
    if constexpr (kHalf > 0) {
      unrolled<kHalf>([&]<int64_t v>() RINGSIDE_INLINE_LAMBDA { part[v] += part[v + kHalf]; });
      add_halves<kHalf / 2>();
    }
  }
};

// The end of a row, and `fill` behind it, which must add nothing.
template <typename Real>
struct Padded {
  RINGSIDE_INLINE Padded(const Real* from, int64_t count, Real fill) {
    for (int64_t i = 0; i < kLanes; ++i) values[i] = i < count ? from[i] : fill;
  }
  Real values[kLanes];
};

// kRows rows, each `step` after the one before (0: the same row again), and what stands behind the end of
// each.
template <int64_t kRows, typename Real>
struct RowsOf {
  const Real* first;
  int64_t step;
  Real fill[kRows] = {};
};

// For every kLanes of `count` features and each r of kRows calls add<r>(those numbers of row r, of each of
// `rows`), and end_part() between two parts of the row.
template <int64_t kRows, typename Add, typename EndPart, typename... Real>
RINGSIDE_INLINE void over_stretches(int64_t count, Add add, EndPart end_part,
                                    const RowsOf<kRows, Real>&... rows) {
  int64_t i = 0;
  for (int64_t end = kPartOfRow;; end += kPartOfRow) {
    for (; i + kLanes <= std::min(count, end); i += kLanes)
      unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
        add.template operator()<r>((rows.first + r * rows.step + i)...);
      });
    if (count <= end) break;
    end_part();
  }
  if (i == count) return;
  unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
    add.template operator()<r>(
        Padded<Real>(rows.first + r * rows.step + i, count - i, rows.fill[r]).values...);
  });
}

// So many of kRows rows are summed together: the lanes of two sums each fit into 32 registers of AVX-512.
template <typename Sum, int kBytes, int64_t kRows>
inline constexpr int64_t kSummedTogether = kBytes < 64
                                               ? 1
                                               : std::min<int64_t>(kRows,
                                                                   sizeof(Sum) == sizeof(float) ? 4 : 2);

}  // namespace ringside::norms
