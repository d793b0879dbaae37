// What the run records: how far each way of adding is from the exact sum.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::rounding {

// Three all-reduces of the same bfloat16 values: also the tag under which each is counted.
inline constexpr char kEachHop[] = "bf16 ring";
inline constexpr char kAtOwner[] = "bf16, owner adds", kWide[] = "fp32 ring";
inline constexpr const char* kWays[] = {kEachHop, kAtOwner, kWide};
inline constexpr char kLarge[] = "one large value";  // the section of 256 and ones

// One way at one number of ranks. An error is |sum - exact| in ulps there (bf16_ulp of base/bfloat16.h).
struct WayRow {
  static constexpr Columns kTable{"ways",       "way",        "ranks",    "right [%]",     "median [ulp]",
                                  "mean [ulp]", "most [ulp]", "relative", "bytes [bytes]", "one result"};
  std::string way;
  int64_t ranks = 0;
  double right = 0;                       // elements that are the exact sum, rounded
  double median = 0, mean = 0, most = 0;  // errors
  double relative = 0;                    // length of all errors, of the length of all sums
  double bytes = 0;                       // that a rank sent, the mean over ranks
  bool one_result = false;                // every rank has the same bits
};

// How many bfloat16 numbers lie between a sum and the right one, in words, and of how many elements.
struct DistanceRow {
  static constexpr Columns kTable{"distances", "ranks", "distance", "ring [%]", "owner [%]", "wide [%]"};
  int64_t ranks = 0;
  std::string distance;
  double ring = 0, owner = 0, wide = 0;
};

// The relative error of the bfloat16 ring in one of kBlocks parts of the buffer: a repetition of it.
inline constexpr int kBlocks = 9;
struct BlockRow {
  static constexpr Columns kTable{"blocks", "ranks", "relative"};
  int64_t ranks = 0;
  double relative = 0;
};

// Rank 0 has 256 and each other rank 1: the sum in a chunk of the buffer. The owner adds in fp32 and rounds
// once.
struct ChunkRow {
  static constexpr Columns kTable{"chunks", "chunk", "ring", "owner", "exact"};
  int64_t chunk = 0;
  double ring = 0, owner = 0, exact = 0;
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::rounding
