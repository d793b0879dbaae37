#include "ringside/base/least_squares.h"

namespace ringside {

// The normal equations of two unknowns.
std::optional<TwoCoefficients> fit_two_terms(const std::vector<TwoTerms>& samples) {
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
