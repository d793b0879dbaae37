// Values for arithmetic: one in four is a value at which it is special.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "ringside/base/random.h"

namespace ringside::testing {

template <typename Real>
std::vector<Real> odd_values(int64_t count, uint64_t seed) {
  using Limits = std::numeric_limits<Real>;
  const std::array special = {Real{0},
                              -Real{0},
                              Limits::denorm_min(),
                              -Limits::denorm_min(),
                              Limits::min() / 3,
                              Limits::min(),
                              Limits::max(),
                              Limits::lowest(),
                              Limits::infinity(),
                              -Limits::infinity(),
                              Limits::quiet_NaN(),
                              Limits::epsilon()};
  RandomStream stream(seed, "odd values");
  std::vector<Real> values(static_cast<size_t>(count));
  for (Real& value : values)
    value = stream.below(4) == 0 ? special[stream.below(special.size())] : static_cast<Real>(stream.normal());
  return values;
}

}  // namespace ringside::testing
