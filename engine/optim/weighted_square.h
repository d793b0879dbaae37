// What a square of the gradient adds to its fading mean: (1 - beta) g^2.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#ifdef __CUDACC__
#define RINGSIDE_GPU_TOO __host__ __device__  // cuda/adamw.cu has the same step
#else
#define RINGSIDE_GPU_TOO
#endif

namespace ringside::optimizers {

// rest * (g * g), finite wherever that is. In fp32 g * g alone overflows from |g| = 1.8e19 on, and a weight
// would stand still; LibTorch has (rest * g) * g, which with rest = 0.001 is finite up to |g| = 5.8e20. So
// the square is taken of g / 2^64 where |g| is 2^64 or more. Powers of two, here as exponents, change no
// other bit. There is no branch, so that a loop over elements keeps its vectors.
template <typename Real>
RINGSIDE_GPU_TOO inline Real weighted_square(Real rest, Real g) {
  using Bits = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
  constexpr int kMantissa = std::numeric_limits<Real>::digits - 1;  // bits
  constexpr Bits kOne = std::bit_cast<Bits>(Real{1});
  constexpr Bits kHalf = Bits{std::numeric_limits<Real>::max_exponent / 2} << kMantissa;
  const Bits shift = std::bit_cast<Bits>(std::abs(g)) >= kOne + kHalf ? kHalf : 0;
  const Real small = g * std::bit_cast<Real>(kOne - shift), up = std::bit_cast<Real>(kOne + shift);
  return rest * (small * small) * up * up;
}

}  // namespace ringside::optimizers
