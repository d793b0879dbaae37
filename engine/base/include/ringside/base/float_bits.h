// An fp32 as its bits, and how many others lie between two; an fp16 as an fp32.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace ringside::inline base {

// "0 01111011 01000010100011110101110": sign, exponent, fraction.
inline std::string bits_of(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  std::string text;
  for (int place = 31; place >= 0; --place) {
    text += (bits >> place) & 1 ? '1' : '0';
    if (place == 31 || place == 23) text += ' ';
  }
  return text;
}

// Floats as integers in the same order, so that neighbours are 1 apart.
inline int64_t ordered_bits(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? int64_t{INT32_MIN} - bits : bits;
}

// Units in the last place: how many floats lie between them, and one.
inline int64_t ulps_between(float a, float b) {
  const int64_t apart = ordered_bits(a) - ordered_bits(b);
  return apart < 0 ? -apart : apart;
}

// IEEE 754 binary16.
inline float half_to_float(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 0x1fu,
                 fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero, or a subnormal number: fraction 2^-24
    const float size = float(fraction) * 0x1p-24f;
    return sign != 0 ? -size : size;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

}  // namespace ringside::inline base
