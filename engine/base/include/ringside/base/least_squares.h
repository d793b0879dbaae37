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
// None where a y is not positive, or where the samples do not tell a from b.
std::optional<TwoCoefficients> fit_two_terms(const std::vector<TwoTerms>& samples);

}  // namespace ringside
