// What the global gradient norm costs to agree on.
#pragma once

#include <cstdint>

namespace ringside {

// The exact sum of squares travels as 20 limbs of 64 bits: a whole number wide enough
// for any sum of fp32 squares, so that the norm does not depend on who adds what first.
inline constexpr int64_t kNormLimbs = 20;

}  // namespace ringside
