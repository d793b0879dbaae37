#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>

namespace ringside::optimizers {

// Elements of a parameter of this shape.
inline int64_t numel(std::span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace ringside::optimizers
