// y = a u + b v, by least squares of the relative errors: the sum of ((a u + b v) / y - 1)^2 is least.
#pragma once

#include <optional>
#include <vector>

namespace ringside {

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

}  // namespace ringside
