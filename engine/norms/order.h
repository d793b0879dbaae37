// In what order, and how widely, the norms' sums are taken: the same on a CPU and on a GPU (cuda/).
#pragma once

#include <cstdint>

namespace ringside::norms {

// Sums over features: number i is in lane i mod kLanes. Lanes l and l + 16 are added up, then l and l + 8,
// and so on.
inline constexpr int kLanes = 32;
// Sums over rows (dw, db): in fp64, row by row over a chunk, then the chunks. A GPU has a chunk a block.
inline constexpr int64_t kRowsOfChunk = 256;

// Of fewer features a mean's rounding is as large as a term's: gradients' means are summed in fp64.
inline constexpr int64_t kFewFeatures = 64;

}  // namespace ringside::norms
