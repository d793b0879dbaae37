// The sum of squares of any number of floats, exactly: the same whatever the order, the sharding or the
// buckets, so that clipping by the global norm cannot tell one ZeRO stage from another.
//
// A float is m * 2^e with a 24-bit integer m, so its square is the 48-bit integer m^2 at the even exponent
// 2e, from -298 to 208. It is added into a long fixed-point number of 32-bit limbs kept in 64-bit words,
// whose integer sums are associative; limbs of different ranks are simply added (an all-reduce of int64).
// Kulisch, Miranker 1986, doi:10.1137/1028001.
#pragma once

#include <array>
#include <cstdint>

#include "ringside/trace/events.h"

namespace ringside::inline optim {

// Limbs of 32 bits, wide enough for any sum of fp32 squares, and one for what is not finite.
inline constexpr int64_t kNormLimbs = 20;

// Where squares lie in the long number, on a GPU (kernels/sums.cu) as here. Bit 0 of the number: 2^-298, of
// the square of the smallest denormal.
inline constexpr int kLowestExponent = -298;

// The bit of the integer m^2, m the 24-bit mantissa of a float with this stored exponent: an even one, at
// least 0.
constexpr int position_of_square(int stored_exponent) {
  return 2 * ((stored_exponent > 1 ? stored_exponent : 1) - 150) - kLowestExponent;
}

class ExactSquareSum {
 public:
  // count elements of fp32 or bf16; at most 2^31 over all ranks (a limb holds 2^31 carries).
  void add(const void* data, int64_t count, Dtype dtype);
  double value() const;  // NaN where an element was infinite or NaN

  int64_t* limbs() { return limbs_.data(); }  // (kNormLimbs), to be summed over the ranks

 private:
  std::array<int64_t, kNormLimbs> limbs_{};  // the last is not 0 where an element was not finite
};

}  // namespace ringside::inline optim
