// The middle of some measurements.
#pragma once

#include <algorithm>
#include <vector>

#include "ringside/base/check.h"

namespace ringside::inline base {

// Of an even number the mean of the two in the middle. InvariantError where there are none.
inline double median(std::vector<double> values) {
  RINGSIDE_CHECK(!values.empty(), "the median of nothing");
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

}  // namespace ringside::inline base
