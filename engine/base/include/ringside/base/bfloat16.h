// bfloat16 as its 16 bits, the upper half of a float32. Every layer rounds with this one function, so that
// the same value has the same bits wherever it was rounded, a NaN's included.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace ringside::inline base {

constexpr float bf16_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// To nearest, ties to even; any NaN becomes the quiet NaN 0x7fc0, as c10::BFloat16 has it. Both sides are
// computed and one is picked, so that a loop over it has no branch.
constexpr uint16_t float_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<uint16_t>(is_nan ? 0x7fc0u : rounded);
}

// Any NaN becomes the quiet one, as above. Which of two NaNs comes out of a sum depends on the instruction.
template <typename Real>
constexpr Real one_nan(Real value) {
  return value == value ? value : std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace ringside::inline base
