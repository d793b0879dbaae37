// Weights and an optimizer's state as vectors, and pieces of them.
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
  OptimizerState(int64_t count, const Optimizer& optimizer)
      : weights(noise(count, 1)),
        state(optimizer.state().size(), std::vector<float>(weights.size())),
        rounded(weights.size()) {}

  // The piece [begin, begin + count); gradient is the whole's, fp32.
  Elements piece(const std::vector<float>& gradient, int64_t begin, int64_t count) {
    Elements elements = piece_without_gradient(begin, count);
    elements.gradient = gradient.data() + begin;
    return elements;
  }
  // The same with a bf16 gradient, and a bf16 copy of the weights to refresh.
  Elements piece(const std::vector<uint16_t>& gradient, int64_t begin, int64_t count) {
    Elements elements = piece_without_gradient(begin, count);
    elements.gradient = gradient.data() + begin;
    elements.gradient_dtype = Dtype::kBFloat16;
    elements.rounded = rounded.data() + begin;
    return elements;
  }

  bool operator==(const OptimizerState&) const = default;

  std::vector<float> weights;
  std::vector<std::vector<float>> state;
  std::vector<uint16_t> rounded;

 private:
  Elements piece_without_gradient(int64_t begin, int64_t count) {
    Elements elements;
    elements.count = count;
    elements.weights = weights.data() + begin;
    for (std::vector<float>& values : state) elements.state.push_back(values.data() + begin);
    return elements;
  }
};

}  // namespace ringside::testing
