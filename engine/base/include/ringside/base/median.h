// The middle of some measurements, and their spread.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ringside/base/check.h"

namespace ringside::inline base {

// Of an even number the mean of the two in the middle. InvariantError where there are none.
inline double median(std::vector<double> values) {
  RINGSIDE_CHECK(!values.empty(), "the median of nothing");
  const auto upper = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

// The standard deviation that a sample says of all: sqrt(sum (x - mean)^2 / (n - 1)). NaN of fewer than two.
inline double deviation(const std::vector<double>& values) {
  const auto n = double(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.size() < 2 ? NAN : std::sqrt(squares / (n - 1));
}

}  // namespace ringside::inline base
