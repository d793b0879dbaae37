// The middle of some measurements.
#pragma once

#include <algorithm>
#include <vector>

#include "ringside/base/check.h"

namespace ringside {

// Of an even number the upper one of the two in the middle. InvariantError where there are none.
inline double median(std::vector<double> values) {
  RINGSIDE_CHECK(!values.empty(), "the median of nothing");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace ringside
