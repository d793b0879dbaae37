#include "ringside/optim/exact_square_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ringside/base/check.h"
#include "ringside/base/vectors.h"

namespace ringside::inline optim {
namespace {

constexpr int kNotFinite = kNormLimbs - 1;
constexpr uint32_t kExponents = 256;      // of an fp32 number, as stored
constexpr uint32_t kWindow = 13;          // exponents that are added up without a table
constexpr int64_t kBlock = 4096;          // elements that have one window
constexpr int64_t kChunk = 64;            // of a block; those with an element below the window take the table
constexpr int64_t kTableHolds = 65536;    // this many 48-bit squares fit into 64 bits
constexpr uint64_t kLow = (1 << 24) - 1;  // half of a square's bits

RINGSIDE_INLINE uint32_t magnitude_bits(float value) { return std::bit_cast<uint32_t>(value) & 0x7FFFFFFFu; }
RINGSIDE_INLINE uint32_t magnitude_bits(uint16_t bf16) { return uint32_t(bf16 & 0x7FFFu) << 16; }

// Of m * 2^e, with m the 24-bit mantissa: squares of one stored exponent are integers m^2 on one scale.
RINGSIDE_INLINE uint64_t square_of(uint32_t bits) {
  const uint64_t m = (bits & 0x7FFFFFu) | (bits >> 23 != 0 ? 0x800000u : 0u);
  return m * m;
}

using Limbs = std::array<int64_t, kNormLimbs>;

// Adds sum * 2^(position + kLowestExponent).
void add_at(Limbs& limbs, int position, uint64_t sum) {
  const int limb = position / 32, shift = position % 32;
  const unsigned __int128 shifted = static_cast<unsigned __int128>(sum) << shift;  // under 2^96
  limbs[limb] += int64_t(uint32_t(shifted));
  limbs[limb + 1] += int64_t(uint32_t(shifted >> 32));
  limbs[limb + 2] += int64_t(shifted >> 64);
}

// A sum for each stored exponent: for what lies below a window, or is not finite.
class Table {
 public:
  explicit Table(Limbs& limbs) : limbs_(limbs) {}
  ~Table() { empty(); }
  Table& operator=(Table&&) = delete;

  template <typename Element>
  void add_below(const Element* values, int64_t count, uint32_t lowest) {
    if (held_ + count > kTableHolds) empty();
    held_ += count;
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t bits = magnitude_bits(values[i]);
      if (bits >> 23 < lowest) sums_[bits >> 23] += square_of(bits);
    }
  }

 private:
  void empty() {
    if (sums_[kExponents - 1] != 0) ++limbs_[kNotFinite];
    for (uint32_t e = 0; e + 1 < kExponents; ++e)
      if (sums_[e] != 0) add_at(limbs_, position_of_square(int(e)), sums_[e]);
    sums_ = {}, held_ = 0;
  }

  Limbs& limbs_;
  std::array<uint64_t, kExponents> sums_{};
  int64_t held_ = 0;
};

// Squares of a window's elements on the scale of its lowest exponent, their lower and upper 24 bits apart, so
// that 2^16 of either fit into 64 bits.
struct WindowSums {
  uint64_t low = 0, high = 0;
};

// Returns whether an element lies below the window.
template <typename Element>
RINGSIDE_INLINE bool add_window(WindowSums& sums, const Element* values, int64_t count, uint32_t lowest) {
  uint64_t low = 0, high = 0;
  uint32_t below = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = magnitude_bits(values[i]), exponent = bits >> 23;
    const bool is_in = exponent >= lowest;
    const uint64_t m = is_in ? (bits & 0x7FFFFFu) | 0x800000u : 0, square = m * m;
    const uint32_t shift = is_in ? 2 * (exponent - lowest) : 0;
    low += (square & kLow) << shift;
    high += (square >> 24) << shift;
    below |= is_in ? 0 : bits;
  }
  sums.low += low, sums.high += high;
  return below != 0;
}

template <typename Element>
RINGSIDE_INLINE uint32_t largest_exponent(const Element* values, int64_t count) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, magnitude_bits(values[i]));
  return largest >> 23;
}

template <typename Element>
void add_elements(Limbs& limbs, const Element* values, int64_t count) {
  Table table(limbs);
  with_vectors_in_use([&]<int kBytes>() RINGSIDE_INLINE_LAMBDA {
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t end = std::min(begin + kBlock, count);
      const uint32_t largest = largest_exponent(values + begin, end - begin);
      const uint32_t lowest =
          largest + 1 == kExponents ? kExponents : std::max(largest, kWindow) - kWindow + 1;
      WindowSums sums;
      for (int64_t at = begin; at < end; at += kChunk) {
        const int64_t chunk = std::min(kChunk, end - at);
        if (add_window(sums, values + at, chunk, lowest)) table.add_below(values + at, chunk, lowest);
      }
      const int position = position_of_square(int(lowest));
      if (sums.low != 0) add_at(limbs, position, sums.low);
      if (sums.high != 0) add_at(limbs, position + 24, sums.high);
    }
  });
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
  for (int i = kNotFinite - 1; i >= 0; --i) sum += std::ldexp(double(digits[i]), 32 * i + kLowestExponent);
  return sum;
}

}  // namespace ringside::inline optim
