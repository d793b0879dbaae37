// In what order, and how widely, the norms' sums are taken: the same on a CPU and on a GPU (kernels/).
#pragma once

#include <cstdint>

namespace ringside::norms {

// Sums over features: number i of a part of the row is in lane i mod kLanes. At the part's end lanes l and
// l + 32 are added up, then l and l + 16, and so on; then the parts' sums, in order. A GPU has a warp a part,
// and two lanes a thread.
inline constexpr int kLanes = 64;
inline constexpr int64_t kPartOfRow = 512;
// Sums over rows (dw, db): those of a chunk of rows are added up one by one, as wide as u is. Chunks are
// added in fp64: chunk c is in lane c mod kLanesOfRows, the lanes of a group are added in order, and then the
// groups. A GPU has a block a chunk.
inline constexpr int64_t kRowsOfChunk = 32, kLanesOfRows = 256, kLanesOfGroup = 16;

// Of fewer features a mean's rounding is as large as a term's: gradients' means are summed in fp64, and all
// is computed in fp64.
inline constexpr int64_t kFewFeatures = 64;

// u = (x - m) s of a row's numbers, as fma(x - near, scale, rest). In fp64 near is 0; in fp32 it is m
// rounded, so that x near m loses nothing.
template <typename Number>
struct InUnits {
  static constexpr bool kNear = sizeof(Number) < sizeof(double);
  Number near, scale, rest;
  InUnits() = default;
  constexpr InUnits(double m, double s)
      : near(kNear ? static_cast<Number>(m) : 0),
        scale(static_cast<Number>(s)),
        rest(static_cast<Number>((near - m) * s)) {}
};

}  // namespace ringside::norms
