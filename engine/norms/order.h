// In what order, and how widely, the norms' sums are taken: the same on a CPU and on a GPU (cuda/).
#pragma once

#include <cstdint>

namespace ringside::norms {

// Sums over features: number i is in lane i mod kLanes of its part of the row, and a lane's parts are added
// in order. At the end lanes l and l + 16 are added up, then l and l + 8, and so on. A GPU has a warp a part.
inline constexpr int kLanes = 32;
inline constexpr int64_t kPartOfRow = 512;
// Sums over rows (dw, db), in fp64: a chunk of rows is in lane (its number mod kLanesOfRows), and a lane adds
// its rows up one by one. The lanes of a group are added in order, and then the groups. A GPU has a block a
// lane: as many as run at once.
inline constexpr int64_t kRowsOfChunk = 32, kLanesOfRows = 256, kLanesOfGroup = 16;

// Of fewer features a mean's rounding is as large as a term's: gradients' means are summed in fp64.
inline constexpr int64_t kFewFeatures = 64;

}  // namespace ringside::norms
