// Optimizer state as vectors, and pieces of it.
#pragma once

#include <vector>

#include "ringside/base/random.h"
#include "ringside/optim/optimizer.h"

namespace ringside::testing {

inline std::vector<float> noise(int64_t count, uint64_t seed, double deviation = 1.0) {
  RandomStream stream(seed, "optimizer test");
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(stream.normal() * deviation);
  return values;
}

struct OptimizerState {
  explicit OptimizerState(int64_t count)
      : weights(noise(count, 1)), first(weights.size()), second(weights.size()), rounded(weights.size()) {}

  // The piece [begin, begin + count); gradient is the whole's, fp32.
  Stretch piece(const std::vector<float>& gradient, int64_t begin, int64_t count, int slots) {
    Stretch stretch = piece_without_gradient(begin, count, slots);
    stretch.gradient = gradient.data() + begin;
    return stretch;
  }
  // The same with a bf16 gradient, and a bf16 copy of the weights to refresh.
  Stretch piece(const std::vector<uint16_t>& gradient, int64_t begin, int64_t count, int slots) {
    Stretch stretch = piece_without_gradient(begin, count, slots);
    stretch.gradient = gradient.data() + begin;
    stretch.gradient_dtype = Dtype::kBFloat16;
    stretch.rounded = rounded.data() + begin;
    return stretch;
  }

  std::vector<float> weights, first, second;
  std::vector<uint16_t> rounded;

 private:
  Stretch piece_without_gradient(int64_t begin, int64_t count, int slots) {
    Stretch stretch;
    stretch.count = count;
    stretch.weights = weights.data() + begin;
    if (slots > 0) stretch.slots.push_back(first.data() + begin);
    if (slots > 1) stretch.slots.push_back(second.data() + begin);
    return stretch;
  }
};

}  // namespace ringside::testing
