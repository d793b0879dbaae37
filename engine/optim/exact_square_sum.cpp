#include "ringside/optim/exact_square_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ringside/base/check.h"
#include "square_position.h"

namespace ringside::inline optim {
namespace {

constexpr int kNotFinite = kNormLimbs - 1;
constexpr int kExponents = 256;    // of an fp32 number, as stored
constexpr int kLanes = 4;          // tables side by side, so that one sum need not wait for the last
constexpr int64_t kBlock = 65536;  // this many 48-bit squares fit into 64 bits

uint32_t magnitude_bits(float value) { return std::bit_cast<uint32_t>(value) & 0x7FFFFFFFu; }
uint32_t magnitude_bits(uint16_t bf16) { return static_cast<uint32_t>(bf16 & 0x7FFFu) << 16; }

// Squares of one stored exponent are integers on one scale: m^2 with m the 24-bit mantissa.
using Table = std::array<uint64_t, kExponents>;

using Limbs = std::array<int64_t, kNormLimbs>;

// `sum` of squares m^2, each of a float m * 2^e with this stored exponent.
void add_squares(Limbs& limbs, int exponent, uint64_t sum) {
  if (sum == 0) return;
  if (exponent == kExponents - 1) {  // infinite or NaN
    ++limbs[kNotFinite];
    return;
  }
  const int position = position_of_square(exponent);
  const int limb = position / 32, shift = position % 32;
  const unsigned __int128 shifted = static_cast<unsigned __int128>(sum) << shift;  // under 2^96
  limbs[limb] += static_cast<int64_t>(static_cast<uint32_t>(shifted));
  limbs[limb + 1] += static_cast<int64_t>(static_cast<uint32_t>(shifted >> 32));
  limbs[limb + 2] += static_cast<int64_t>(shifted >> 64);
}

template <typename Element>
void add_elements(Limbs& limbs, const Element* values, int64_t count) {
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    std::array<Table, kLanes> tables{};
    const int64_t end = std::min(begin + kBlock, count);
    for (int64_t i = begin; i < end; ++i) {
      const uint32_t bits = magnitude_bits(values[i]);
      const uint32_t exponent = bits >> 23;
      const uint64_t m = (bits & 0x7FFFFFu) | (exponent != 0 ? 0x800000u : 0u);
      tables[static_cast<size_t>(i) % kLanes][exponent] += m * m;
    }
    for (int exponent = 0; exponent < kExponents; ++exponent)
      for (const Table& table : tables) add_squares(limbs, exponent, table[static_cast<size_t>(exponent)]);
  }
}

}  // namespace

void ExactSquareSum::add(const void* data, int64_t count, Dtype dtype) {
  if (dtype == Dtype::kFloat32) return add_elements(limbs_, static_cast<const float*>(data), count);
  RINGSIDE_CHECK(dtype == Dtype::kBFloat16, "gradients are fp32 or bf16");
  add_elements(limbs_, static_cast<const uint16_t*>(data), count);
}

double ExactSquareSum::value() const {
  if (limbs_[kNotFinite] != 0) return std::numeric_limits<double>::quiet_NaN();
  // Carry first: afterwards the limbs depend on the sum alone, not on how it was reached.
  Limbs digits = limbs_;
  for (int i = 0; i + 1 < kNotFinite; ++i) {
    digits[i + 1] += digits[i] >> 32;
    digits[i] &= 0xFFFFFFFF;
  }
  double sum = 0;
  for (int i = kNotFinite - 1; i >= 0; --i) {
    sum += std::ldexp(static_cast<double>(digits[i]), 32 * i + kLowestExponent);
  }
  return sum;
}

}  // namespace ringside::inline optim
