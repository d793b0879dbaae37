// Mean and variance of n numbers, in one pass or two, and of two parts from those of each.
//
//   m = sum x / n     S = sum (x - m)^2     v = S / n, unbiased S / (n - 1)
//
// Each adds up in the type of x. The error of v, relative to v, with e the rounding of that type (2^-24 in
// fp32) and k = |m| / sqrt(v):
//
//   two_pass   n e       the mean first, then the squares: x is read twice
//   welford    n e k     one pass, one division a number
//   naive      n e k^2   sum x^2 / n - m^2: two near equal numbers are subtracted; v may be negative
//
// (Chan, Golub, LeVeque 1983, The American Statistician 37, 242-247; Welford 1962, Technometrics 4, 419-420.)
#pragma once

#include <cstdint>

namespace ringside::norms {

template <typename Real>
struct Moments {
  int64_t count = 0;  // n
  Real mean = 0;      // 0 of no number
  Real squares = 0;   // S
  Real variance() const { return count == 0 ? 0 : squares / static_cast<Real>(count); }
};

template <typename Real>
Moments<Real> two_pass(const Real* x, int64_t count) {
  Moments<Real> result{.count = count};
  if (count == 0) return result;
  for (int64_t i = 0; i < count; ++i) result.mean += x[i];
  result.mean /= static_cast<Real>(count);
  for (int64_t i = 0; i < count; ++i) result.squares += (x[i] - result.mean) * (x[i] - result.mean);
  return result;
}

// m <- m + (x - m) / n     S <- S + (x - m before) (x - m after)
template <typename Real>
Moments<Real> welford(const Real* x, int64_t count) {
  Moments<Real> result;
  for (int64_t i = 0; i < count; ++i) {
    ++result.count;
    const Real before = x[i] - result.mean;
    result.mean += before / static_cast<Real>(result.count);
    result.squares += before * (x[i] - result.mean);
  }
  return result;
}

template <typename Real>
Moments<Real> naive(const Real* x, int64_t count) {
  Moments<Real> result{.count = count};
  if (count == 0) return result;
  Real sum = 0, sum_of_squares = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i], sum_of_squares += x[i] * x[i];
  result.mean = sum / static_cast<Real>(count);
  result.squares = sum_of_squares - result.mean * sum;
  return result;
}

// Of both parts together, with d = m_b - m_a:  m = m_a + d n_b / n     S = S_a + S_b + d^2 n_a n_b / n
template <typename Real>
Moments<Real> merged(const Moments<Real>& a, const Moments<Real>& b) {
  const int64_t count = a.count + b.count;
  if (count == 0) return {};
  const Real d = b.mean - a.mean, share = static_cast<Real>(b.count) / static_cast<Real>(count);
  return {count, a.mean + d * share, a.squares + b.squares + d * d * share * static_cast<Real>(a.count)};
}

}  // namespace ringside::norms
