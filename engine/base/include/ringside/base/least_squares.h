// y = a u + b v, by least squares of the relative errors: the sum of ((a u + b v) / y - 1)^2 is least.
// And y = c x^p, by least squares of the logarithms.
#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace ringside::inline base {

struct TwoTerms {
  double u = 0, v = 0, y = 1;
};
struct TwoCoefficients {
  double a = 0, b = 0;
};
// By the normal equations. None where a y is not positive, or where the samples do not tell a from b.
inline std::optional<TwoCoefficients> fit_two_terms(const std::vector<TwoTerms>& samples) {
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (const TwoTerms& sample : samples) {
    if (!(sample.y > 0)) return std::nullopt;
    const double u = sample.u / sample.y, v = sample.v / sample.y;
    uu += u * u, uv += u * v, vv += v * v, u1 += u, v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > 1e-9 * uu * vv)) return std::nullopt;
  return TwoCoefficients{(u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant};
}

// p. NaN where fewer than two points {x, y} have different x. All x and y are positive.
template <typename Points = std::vector<std::pair<double, double>>>
double fit_exponent(const Points& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [px, py] : points) {
    const double lx = std::log(px), ly = std::log(py);
    n += 1, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
  }
  const double determinant = n * xx - x * x;
  return determinant > 1e-9 * n * xx ? (n * xy - x * y) / determinant : NAN;
}

}  // namespace ringside::inline base
