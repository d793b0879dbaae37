// What a square of the gradient adds to its fading mean: (1 - beta) g^2.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#ifdef __CUDACC__
#define RINGSIDE_GPU_TOO __host__ __device__  // kernels/update.cu has the same step
#else
#define RINGSIDE_GPU_TOO
#endif

namespace ringside::optimizers {

// rest * (g * g) for 0 < rest <= 1, finite wherever that is. In fp32 g * g alone overflows from |g| = 1.8e19
// on, and a weight would stand still; LibTorch has (rest * g) * g, which with rest = 0.001 is finite up to
// |g| = 5.8e20. So from |g| = 2^63 on g is divided by 2^63 and rest multiplied by 2^126: powers of two change
// no bit of what is finite. A loop over elements keeps its vectors.
template <typename Real>
RINGSIDE_GPU_TOO inline Real weighted_square(Real rest, Real g) {
  using Bits = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
  constexpr int kMantissa = std::numeric_limits<Real>::digits - 1;  // bits; the exponent is above them
  constexpr Bits kOne = std::bit_cast<Bits>(Real{1});
  constexpr Bits kDown = Bits{std::numeric_limits<Real>::max_exponent / 2 - 1} << kMantissa;
  // The sign of the difference, in every bit: a comparison would become a branch.
  const Bits is_large = (kOne + kDown - 1 - std::bit_cast<Bits>(std::abs(g))) >> (8 * sizeof(Real) - 1);
  const Bits down = is_large & kDown;
  const Real small = g * std::bit_cast<Real>(kOne - down);
  return std::bit_cast<Real>(std::bit_cast<Bits>(rest) + 2 * down) * (small * small);
}

}  // namespace ringside::optimizers
