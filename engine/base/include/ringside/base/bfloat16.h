// bfloat16 as its 16 bits, the upper half of a float32. Every layer rounds with this one function, so that
// the same value has the same bits wherever it was rounded, a NaN's included.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ringside::inline base {

constexpr float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

// To nearest, ties to even; any NaN becomes the quiet NaN 0x7fc0, as c10::BFloat16 has it. Both sides are
// computed and one is picked, so that a loop over it has no branch.
constexpr uint16_t float_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return uint16_t(is_nan ? 0x7fc0u : rounded);
}

// From double, rounded once. What is cut off on the way to float stands in that float's last bit, so that a
// tie is one only where it was one.
inline uint16_t double_to_bf16(double value) {
  const auto near = float(value);
  if (near == value) return float_to_bf16(near);
  const uint32_t outside = std::abs(near) > std::abs(value) ? 1 : 0;
  return float_to_bf16(std::bit_cast<float>((std::bit_cast<uint32_t>(near) - outside) | 1u));
}

// The distance of two neighbours at that value: 8 digits, the first of them not stored. 0 of 0; no subnormal.
inline double bf16_ulp(double value) { return value == 0 ? 0 : std::ldexp(1.0, std::ilogb(value) - 7); }

// Numbers in their order are counted from 0, so that neighbours are 1 apart.
constexpr int bf16_ulps_between(uint16_t a, uint16_t b) {
  const auto place_of = [](uint16_t bits) { return (bits & 0x8000) != 0 ? -(bits & 0x7fff) : bits; };
  const int apart = place_of(a) - place_of(b);
  return apart < 0 ? -apart : apart;
}

// Any NaN becomes the quiet one, as above. Which of two NaNs comes out of a sum depends on the instruction.
template <typename Real>
constexpr Real one_nan(Real value) {
  return value == value ? value : std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace ringside::inline base
