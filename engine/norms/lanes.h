// A sum in kLanes parts, number i in part i mod kLanes, which are added at the end: the order is the same
// whatever the width of a CPU's vectors, and no addition waits for the one before.
#pragma once

#include <cstdint>

#include "order.h"
#include "widest.h"

namespace ringside::norms {

// Calls take<kRows>(first) for the stretches of rows [begin, end).
template <typename F>
RINGSIDE_INLINE void over_rows(int64_t begin, int64_t end, F take) {
  for (; begin + kRowsAtOnce <= end; begin += kRowsAtOnce) take.template operator()<kRowsAtOnce>(begin);
  for (; begin < end; ++begin) take.template operator()<1>(begin);
}

template <typename Real>
struct Lanes {
  Real part[kLanes] = {};

  RINGSIDE_INLINE Real total() const {
    Real eight[8];
    for (int l = 0; l < 8; ++l) eight[l] = (part[l] + part[l + 8]) + (part[l + 16] + part[l + 24]);
    return ((eight[0] + eight[4]) + (eight[2] + eight[6])) + ((eight[1] + eight[5]) + (eight[3] + eight[7]));
  }
};

// Calls f(i, lane) for i = 0 ... count - 1.
template <typename F>
RINGSIDE_INLINE void over_lanes(int64_t count, F f) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int l = 0; l < kLanes; ++l) f(i + l, l);
  for (int l = 0; i < count; ++i, ++l) f(i, l);
}

}  // namespace ringside::norms
