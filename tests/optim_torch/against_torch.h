// An update rule step by step beside one of LibTorch's own optimizers.
#pragma once

#include <torch/optim/optimizer.h>

#include "catch.h"
#include "optimizer_state.h"
#include "ringside/base/bfloat16.h"
#include "rounding.h"

namespace ringside::testing {

constexpr int64_t kCount = 257;
constexpr int kSteps = 12;
constexpr double kRate = 0.03;

inline at::Tensor tensor_of(const std::vector<float>& values) {
  return at::tensor(at::ArrayRef<float>(values.data(), values.size()), at::kFloat);
}

inline std::vector<uint16_t> to_bf16(const std::vector<float>& values) {
  std::vector<uint16_t> result;
  for (const float value : values) result.push_back(float_to_bf16(value));
  return result;
}
inline std::vector<float> to_float(const std::vector<uint16_t>& values) {
  std::vector<float> result;
  for (const uint16_t value : values) result.push_back(bf16_to_float(value));
  return result;
}

// The weights that the reference starts from.
inline at::Tensor start() { return tensor_of(noise(kCount, 1)).set_requires_grad(true); }

// The largest difference of a weight from LibTorch's after any of the steps, and what rounding may make of
// it: a few roundings a step. A gradient is a sum over 4 samples that the update divides.
struct Distance {
  double largest = 0, bound = 0;
};
inline Distance distance(const OptimizerConfig& config, torch::optim::Optimizer& reference,
                         const at::Tensor& weights, bool bf16) {
  const Optimizer optimizer = make_optimizer(config);
  OptimizerState state(kCount, optimizer);
  double worst = 0, scale = 0;
  for (int step = 1; step <= kSteps; ++step) {
    std::vector<float> sum = noise(kCount, 100 + static_cast<uint64_t>(step), step == 3 ? 100.0 : 1.0);
    const std::vector<uint16_t> sum16 = to_bf16(sum);
    if (bf16) sum = to_float(sum16);
    const Elements elements = bf16 ? state.piece(sum16, 0, kCount) : state.piece(sum, 0, kCount);
    optimizer.update(elements, {.learning_rate = kRate, .step = step, .gradient_scale = 0.25f});
    at::Tensor(weights).mutable_grad() = tensor_of(sum) * 0.25;
    reference.step();
    worst = std::max(worst, (tensor_of(state.weights) - weights.detach()).abs().max().item<double>());
    scale = std::max(scale, weights.detach().abs().max().item<double>());
    if (bf16) CHECK(state.rounded == to_bf16(state.weights));
  }
  return {worst, rounding_bound(4 * kSteps, scale)};
}

}  // namespace ringside::testing
