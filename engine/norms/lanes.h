// A sum in kLanes lanes, as order.h has it: the order is the same whatever the width of a CPU's vectors, and
// no addition waits for the one before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "order.h"
#include "vector.h"

namespace ringside::norms {

inline constexpr int kHalfOfLanes = kLanes / 2;

// kBytes: of a vector.
template <typename Real, int kBytes>
struct Lanes {
  static constexpr int kCount = kBytes / int(sizeof(Real)), kVectors = kHalfOfLanes / kCount;
  Vector<Real, kCount> half[2][kVectors] = {};
  Real total = 0;  // of the parts that have ended

  RINGSIDE_INLINE void end_part() {
    for_each_of<kBytes, kVectors>([&](auto v) RINGSIDE_INLINE_LAMBDA { half[0][v] += half[1][v]; });
    add_halves<kVectors / 2>();
    total += sum_of<kCount, Real>(half[0][0]);
    unrolled<2>([&]<int64_t h>() RINGSIDE_INLINE_LAMBDA {
      for_each_of<kBytes, kVectors>([&](auto v) RINGSIDE_INLINE_LAMBDA { half[h][v] = Vector<Real, kCount>{}; });
    });
  }

 private:
  template <int64_t kHalf>
  RINGSIDE_INLINE void add_halves() {
    if constexpr (kHalf > 0) {
      for_each_of<kBytes, kHalf>([&](auto v) RINGSIDE_INLINE_LAMBDA { half[0][v] += half[0][v + kHalf]; });
      add_halves<kHalf / 2>();
    }
  }
};

// The end of a row, and `fill` behind it, which must add nothing.
template <typename Real>
struct Padded {
  RINGSIDE_INLINE Padded(const Real* from, int64_t count, Real fill) {
    for (int64_t i = 0; i < kHalfOfLanes; ++i) values[i] = i < count ? from[i] : fill;
  }
  Real values[kHalfOfLanes];
};

// kRows rows, each `step` after the one before (0: the same row again), and what stands behind the end of
// each.
template <int64_t kRows, typename Real>
struct RowsOf {
  const Real* first;
  int64_t step;
  Real fill[kRows] = {};
};

// For every half of the lanes, of `count` features, and each r of kRows calls add<r, half>(those numbers of
// row r, of each of `rows`), and end_part() behind each part of the row.
template <int kBytes, int64_t kRows, typename Add, typename EndPart, typename... Real>
RINGSIDE_INLINE void over_stretches(int64_t count, Add add, EndPart end_part,
                                    const RowsOf<kRows, Real>&... rows) {
  const auto add_whole = [&]<int64_t h>(int64_t i) RINGSIDE_INLINE_LAMBDA {
    unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
      add.template operator()<r, h>((rows.first + r * rows.step + i)...);
    });
  };
  const auto add_last = [&]<int64_t h>(int64_t i) RINGSIDE_INLINE_LAMBDA {
    unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
      add.template operator()<r, h>(
          Padded<Real>(rows.first + r * rows.step + i, count - i, rows.fill[r]).values...);
    });
  };
  for (int64_t begin = 0; begin < count; begin += kPartOfRow) {
    const int64_t end = std::min(count, begin + kPartOfRow), whole = end - (end - begin) % kLanes;
    if constexpr (kBytes == 64)
      for (int64_t i = begin; i < whole; i += kLanes) {
        add_whole.template operator()<0>(i);
        add_whole.template operator()<1>(i + kHalfOfLanes);
      }
    else
      unrolled<2>([&]<int64_t h>() RINGSIDE_INLINE_LAMBDA {
        for (int64_t i = begin + h * kHalfOfLanes; i < whole; i += kLanes)
          add_whole.template operator()<h>(i);
      });
    if (end - whole < kHalfOfLanes) {
      if (whole < end) add_last.template operator()<0>(whole);
    } else {
      add_whole.template operator()<0>(whole);
      if (whole + kHalfOfLanes < end) add_last.template operator()<1>(whole + kHalfOfLanes);
    }
    end_part();
  }
}

// So many of kRows rows are summed together. Measured with AVX-512.
template <typename Sum, int kBytes, int64_t kRows>
inline constexpr int64_t kSummedTogether = kBytes < 64
                                               ? 1
                                               : std::min<int64_t>(kRows,
                                                                   sizeof(Sum) == sizeof(float) ? 4 : 1);

}  // namespace ringside::norms
