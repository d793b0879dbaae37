// Heights over two weights, written once: for numbers, to be drawn, and for tensors, to be differentiated.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "ringside/base/check.h"
#include "ringside/lesson/figure.h"

namespace ringside::lessons::optimizers {

struct Surface {
  std::string name;
  std::string meaning;  // one sentence
  figure::Point least, most, start;
  double noise = 0;   // of each gradient: its standard deviation
  double lowest = 0;  // height of its minimum
  bool contains(figure::Point at) const {
    return std::clamp(at.x, least.x, most.x) == at.x && std::clamp(at.y, least.y, most.y) == at.y;
  }
  double bend = 2;  // levels are drawn at (1/10)^bend, (2/10)^bend, ... of the way up
};

inline constexpr char kValley[] = "valley", kTurned[] = "turned", kRosenbrock[] = "rosenbrock",
                      kSaddle[] = "saddle", kNoisy[] = "noisy", kFlat[] = "flat";

const std::vector<Surface>& surfaces();

template <typename T>
const T& named(const std::vector<T>& all, const std::string& name) {
  for (const T& one : all)
    if (one.name == name) return one;
  RINGSIDE_CHECK(false, "there is no '" << name << "'");
}
inline const Surface& surface_of(const std::string& name) { return named(surfaces(), name); }

template <typename T>
T height(const std::string& surface, const T& x, const T& y) {
  if (surface == kTurned) {
    const T along = (x + y) * std::sqrt(0.5), across = (x - y) * std::sqrt(0.5);
    return 0.5 * (along * along) + 25.0 * (across * across);
  }
  if (surface == kRosenbrock) {
    const T from_valley = y - x * x, from_one = 1.0 - x;
    return 100.0 * (from_valley * from_valley) + from_one * from_one;
  }
  if (surface == kSaddle) return 0.5 * (x * x) - 0.5 * (y * y) + 0.25 * (y * y * y * y);
  if (surface == kNoisy) return 0.5 * (x * x) + 5.0 * (y * y);
  if (surface == kFlat) return 0.5 * ((x + y) * (x + y));
  return 0.5 * (x * x) + 25.0 * (y * y);
}

}  // namespace ringside::lessons::optimizers
