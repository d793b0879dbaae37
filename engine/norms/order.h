// In what order, and how widely, the norms' sums are taken: the same on a CPU and on a GPU (cuda/).
#pragma once

#include <cstdint>

namespace ringside::norms {

inline constexpr int kLanes = 32;
// Sums over rows (dw, db): so many rows in registers, these sums in fp64 over a chunk of rows, then the
// chunks. A GPU has the same order with a chunk a block.
inline constexpr int64_t kRowsAtOnce = 4, kRowsOfChunk = 256;

// Of fewer features the mean of a gradient is as large as its terms, and so is its rounding; of few rows fp64
// costs little. Both are summed in fp64.
inline constexpr int64_t kFewFeatures = 64, kFewRows = 64;
inline bool sums_in_double(int64_t rows, int64_t width) { return width < kFewFeatures || rows < kFewRows; }

}  // namespace ringside::norms
