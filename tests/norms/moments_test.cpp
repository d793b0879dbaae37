// Mean and variance by each way, and what the naive one loses.
#include "ringside/norms/moments.h"

#include <cmath>
#include <vector>

#include "catch.h"
#include "ringside/base/random.h"

using namespace ringside;
using namespace ringside::norms;

namespace {

constexpr int64_t kCount = 257;

template <typename Real>
std::vector<Real> numbers(double mean, double deviation) {
  RandomStream stream(1, "moments");
  std::vector<Real> x(kCount);
  for (Real& value : x) value = static_cast<Real>(mean + deviation * stream.normal());
  return x;
}

// Of v, relative to the one of the same numbers in fp64.
double error_of(Moments<float> (*way)(const float*, int64_t), const std::vector<float>& x) {
  const std::vector<double> wide(x.begin(), x.end());
  const double exact = two_pass(wide.data(), kCount).variance();
  return std::abs(way(x.data(), kCount).variance() - exact) / exact;
}

}  // namespace

TEST_CASE("the three ways agree where the mean is near 0") {
  const std::vector<double> x = numbers<double>(0.1, 1);
  const Moments<double> exact = two_pass(x.data(), kCount);
  for (const auto& way : {welford<double>, naive<double>}) {
    const Moments<double> other = way(x.data(), kCount);
    CHECK(other.count == kCount);
    CHECK(std::abs(other.mean - exact.mean) < 1e-14);
    CHECK(std::abs(other.variance() - exact.variance()) < 1e-13);
  }
}

TEST_CASE("in fp32 the error of the naive way grows with the square of the mean, Welford's with the mean") {
  for (const double mean : {10.0, 100.0, 1000.0}) {
    INFO("mean " << mean << ", deviation 1");
    const std::vector<float> x = numbers<float>(mean, 1);
    const double rounding = std::ldexp(1, -24);
    CHECK(error_of(two_pass<float>, x) < kCount * rounding);
    CHECK(error_of(welford<float>, x) < kCount * rounding * mean);
    CHECK(error_of(naive<float>, x) < kCount * rounding * mean * mean);
    CHECK(error_of(naive<float>, x) > 10 * error_of(two_pass<float>, x));
    CHECK(error_of(naive<float>, x) > 10 * error_of(welford<float>, x));
  }
  CHECK(error_of(naive<float>, numbers<float>(1e4, 1)) > 0.5);  // no digit is left
}

TEST_CASE("merged parts are the whole, whatever their sizes") {
  const std::vector<double> x = numbers<double>(3, 2);
  const Moments<double> whole = two_pass(x.data(), kCount);
  for (const int64_t cut : {0, 1, 100, 257}) {
    const Moments<double> both = merged(two_pass(x.data(), cut), two_pass(x.data() + cut, kCount - cut));
    CHECK(both.count == kCount);
    CHECK(std::abs(both.mean - whole.mean) < 1e-13);
    CHECK(std::abs(both.squares - whole.squares) < 1e-11);
  }
}

TEST_CASE("of no number and of one the variance is 0") {
  const double one = 7;
  for (const auto& way : {two_pass<double>, welford<double>, naive<double>}) {
    CHECK(way(&one, 0).variance() == 0);
    CHECK(way(&one, 1).variance() == 0);
    CHECK(way(&one, 1).mean == 7);
  }
  CHECK(merged(Moments<double>{}, Moments<double>{}).count == 0);
}
