#include "ringside/optim/exact_square_sum.h"

#include <bit>
#include <cmath>
#include <limits>

#include "ringside/base/check.h"
#include "ringside/optim/elementwise.h"

namespace ringside {
namespace {

constexpr int kLowestExponent = -298;  // of the square of the smallest denormal
constexpr int kNotFinite = kNormLimbs - 1;

}  // namespace

void ExactSquareSum::add(const void* data, int64_t count, Dtype dtype) {
  if (dtype == Dtype::kFloat32) {
    const auto* values = static_cast<const float*>(data);
    for (int64_t i = 0; i < count; ++i) add_one(values[i]);
  } else {
    RINGSIDE_CHECK(dtype == Dtype::kBFloat16, "gradients are fp32 or bf16");
    const auto* values = static_cast<const uint16_t*>(data);
    for (int64_t i = 0; i < count; ++i) add_one(bf16_to_float(values[i]));
  }
}

void ExactSquareSum::add_one(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value) & 0x7FFFFFFFu;
  const auto biased = static_cast<int>(bits >> 23);
  if (biased == 255) {
    ++limbs_[kNotFinite];
    return;
  }
  const uint64_t fraction = bits & 0x7FFFFFu;
  const uint64_t m = biased == 0 ? fraction : fraction | 0x800000u;
  const int e = (biased == 0 ? 1 : biased) - 150;
  const int position = 2 * e - kLowestExponent;  // of the square's lowest bit, >= 0
  const int limb = position / 32, shift = position % 32;
  const unsigned __int128 square = static_cast<unsigned __int128>(m * m) << shift;  // under 2^80
  limbs_[limb] += static_cast<int64_t>(static_cast<uint32_t>(square));
  limbs_[limb + 1] += static_cast<int64_t>(static_cast<uint32_t>(square >> 32));
  limbs_[limb + 2] += static_cast<int64_t>(square >> 64);
}

double ExactSquareSum::value() const {
  if (limbs_[kNotFinite] != 0) return std::numeric_limits<double>::quiet_NaN();
  // Carry first: afterwards the limbs depend on the sum alone, not on how it was reached.
  std::array<int64_t, kNormLimbs> digits = limbs_;
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

}  // namespace ringside
