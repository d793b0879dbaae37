// Where squares lie in the long number of ExactSquareSum (exact_square_sum.h): the same on a GPU
// (kernels/sums.cu).
#pragma once

namespace ringside::inline optim {

// Bit 0 of the number: 2^-298, of the square of the smallest denormal.
inline constexpr int kLowestExponent = -298;

// The bit of the integer m^2, m the 24-bit mantissa of a float with this stored exponent: an even one, at
// least 0.
constexpr int position_of_square(int stored_exponent) {
  return 2 * ((stored_exponent > 1 ? stored_exponent : 1) - 150) - kLowestExponent;
}

}  // namespace ringside::inline optim
