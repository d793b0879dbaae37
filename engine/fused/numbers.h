// Numbers side by side, as many as a register of the vectors in use holds (base/vectors.h), in stretches of
// 64 bytes. All kinds of vectors take the same IEEE operations in the same order, so no bit depends on them.
// A vector is passed by reference: how it is passed by value depends on the CPU.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "ringside/base/vectors.h"

namespace ringside::fused {

inline constexpr int kStretch = 64;  // bytes

template <int kBytes, typename Real>
struct NumbersOf {
  typedef Real Type __attribute__((vector_size(kBytes)));
  static constexpr int64_t kCount = kBytes / sizeof(Real);
};
template <int kBytes, typename Real>
using Numbers = typename NumbersOf<kBytes, Real>::Type;

// Calls f(i, n, v) for every n numbers from i on, which are part v of a stretch: as many as a vector holds, a
// constant, and at the end what is left. What f indexes with v is in registers.
template <int kBytes, typename Real, typename F>
RINGSIDE_INLINE void over_numbers(int64_t count, F f) {
  constexpr int64_t kCount = NumbersOf<kBytes, Real>::kCount, kParts = kStretch / kBytes;
  int64_t i = 0;
  for (; i + kParts * kCount <= count; i += kParts * kCount)
    unrolled<kParts>([&]<int64_t v>() RINGSIDE_INLINE_LAMBDA {
      f(i + v * kCount, std::integral_constant<int64_t, kCount>(), std::integral_constant<int64_t, v>());
    });
  unrolled<kParts>([&]<int64_t v>() RINGSIDE_INLINE_LAMBDA {
    const int64_t left = std::min(kCount, count - i - v * kCount);
    if (left > 0) f(i + v * kCount, left, std::integral_constant<int64_t, v>());
  });
}

// The first n alone; the others stay what they are.
template <typename Real>
RINGSIDE_INLINE void load(const Real* from, int64_t n, auto& to) {
  std::memcpy(&to, from, size_t(n) * sizeof(Real));
}
template <typename Real>
RINGSIDE_INLINE void store(const auto& from, int64_t n, Real* to) {
  std::memcpy(to, &from, size_t(n) * sizeof(Real));
}
// The same of floats, which are widened; the others become `fill`.
template <int kBytes, typename Real>
RINGSIDE_INLINE void load_floats(const float* from, int64_t n, float fill, Numbers<kBytes, Real>& to) {
  using Floats = Numbers<kBytes * sizeof(float) / sizeof(Real), float>;
  Floats values = Floats{} + fill;
  load(from, n, values);
  to = __builtin_convertvector(values, Numbers<kBytes, Real>);
}

// A number for each place of a stretch: a sum in lanes, whose order is the same whatever the vectors' width.
template <int kBytes, typename Real>
struct Lanes {
  Numbers<kBytes, Real> part[kStretch / kBytes];

  RINGSIDE_INLINE explicit Lanes(Real value) {
    for (auto& numbers : part) numbers = Numbers<kBytes, Real>{} + value;
  }
  // All of them as one: number i and i + 8, then i and i + 4, and so on.
  template <typename Join>
  RINGSIDE_INLINE Real joined(Join join) const {
    Real of[kStretch / sizeof(Real)];
    std::memcpy(of, part, sizeof of);
    for (size_t half = std::size(of) / 2; half > 0; half /= 2)
      for (size_t i = 0; i < half; ++i) of[i] = join(of[i], of[i + half]);
    return of[0];
  }
};

template <typename Real>
struct OfExponential;
template <>
struct OfExponential<float> {
  using Bits = uint32_t;
  static constexpr int kTerms = 8, kMantissa = 23;      // r^8 / 8! is 5e-9 at most
  static constexpr float kLeast = -87.33654F;           // 126 log 2
  static constexpr float kHigh = 0.693359375F;          // log 2 in 9 bits: n of them are exact
  static constexpr float kLow = -2.12194440054691e-4F;  // what is left of it
};
template <>
struct OfExponential<double> {
  using Bits = uint64_t;
  static constexpr int kTerms = 14, kMantissa = 52;  // r^14 / 14! is 4e-18 at most
  static constexpr double kLeast = -708.396418532264;
  static constexpr double kHigh = 0.693145751953125;  // in 18 bits
  static constexpr double kLow = 1.4286068203094172e-6;
};

// e^x of x <= 0, in place, with an error of 2 units in the last place at most. What is less than the least
// normal number is 0; NaN stays NaN.
//
//   x = n log 2 + r with |r| <= log 2 / 2     e^x = 2^n sum r^k / k!
//
// n is what a sum with 1.5 * 2^23 (fp64: 2^52) leaves in the last bits; 2^n is n in the place of the
// exponent.
template <int kBytes, typename Real>
RINGSIDE_INLINE void exponential(Numbers<kBytes, Real>& x) {
  using Of = OfExponential<Real>;
  typedef typename Of::Bits Bits __attribute__((vector_size(kBytes)));
  constexpr Real kPointOne = static_cast<Real>(typename Of::Bits{3} << (Of::kMantissa - 1));
  constexpr Real kOfLog2 = static_cast<Real>(1.4426950408889634);
  const Numbers<kBytes, Real> shifted = x * kOfLog2 + kPointOne, n = shifted - kPointOne;
  const Numbers<kBytes, Real> r = (x - n * Of::kHigh) - n * Of::kLow;
  constexpr auto kCoefficient = [] {
    struct {
      Real of[Of::kTerms];
    } all{};
    double factorial = 1;
    for (int k = 0; k < Of::kTerms; ++k) all.of[k] = static_cast<Real>(1 / factorial), factorial *= k + 1;
    return all;
  }();
  Numbers<kBytes, Real> sum = Numbers<kBytes, Real>{} + kCoefficient.of[Of::kTerms - 1];
#pragma GCC unroll 16
  for (int k = Of::kTerms - 2; k >= 0; --k) sum = sum * r + kCoefficient.of[k];
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits << Of::kMantissa) + std::bit_cast<typename Of::Bits>(Real{1});
  Numbers<kBytes, Real> power;
  std::memcpy(&power, &bits, sizeof power);
  x = x < Of::kLeast ? Numbers<kBytes, Real>{} : sum * power;
}

// 1 / (1 + e^-x)
template <int kBytes, typename Real>
RINGSIDE_INLINE void sigmoid(const Numbers<kBytes, Real>& x, Numbers<kBytes, Real>& s) {
  Numbers<kBytes, Real> e = x < 0 ? x : -x;
  exponential<kBytes, Real>(e);
  s = Real{1} / (e + Real{1});
  s = x < 0 ? e * s : s;
}

}  // namespace ringside::fused
