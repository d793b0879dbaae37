#include "ringside/base/least_squares.h"

#include <cmath>

#include "catch.h"

namespace ringside {

TEST_CASE("an exponent is found whatever its factor, and none in points of one x", "[base]") {
  std::vector<std::pair<double, double>> points;
  for (const double x : {256.0, 512.0, 4096.0}) points.emplace_back(x, 7e-3 * std::pow(x, 1.75));
  CHECK(fit_exponent(points) == Approx(1.75));
  points[2].second *= 2;
  CHECK(fit_exponent(points) > 1.8);
  CHECK(std::isnan(fit_exponent({{8, 1}, {8, 2}})));
  CHECK(std::isnan(fit_exponent({})));
}

}  // namespace ringside
