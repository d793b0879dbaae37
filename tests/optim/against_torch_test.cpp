// The update rules against LibTorch's own optimizers.
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include "catch.h"
#include "ringside/base/bfloat16.h"
#include "rounding.h"
#include "stretch_of.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kCount = 257;
constexpr int kSteps = 12;
constexpr double kRate = 0.03;

at::Tensor tensor_of(const std::vector<float>& values) {
  return at::tensor(at::ArrayRef<float>(values.data(), values.size()), at::kFloat);
}

std::vector<uint16_t> to_bf16(const std::vector<float>& values) {
  std::vector<uint16_t> result;
  for (const float value : values) result.push_back(float_to_bf16(value));
  return result;
}
std::vector<float> to_float(const std::vector<uint16_t>& values) {
  std::vector<float> result;
  for (const uint16_t value : values) result.push_back(bf16_to_float(value));
  return result;
}

// The largest difference of a weight from LibTorch's after any of the steps, and what rounding may make of it: a few
// roundings a step. A gradient is a sum over 4 samples that the update divides.
struct Distance {
  double largest = 0, bound = 0;
};
Distance distance(const OptimizerConfig& config, torch::optim::Optimizer& reference, const at::Tensor& weights,
                bool bf16) {
  const auto optimizer = make_optimizer(config);
  OptimizerState state(kCount);
  double worst = 0, scale = 0;
  for (int step = 1; step <= kSteps; ++step) {
    std::vector<float> sum = noise(kCount, 100 + static_cast<uint64_t>(step), step == 3 ? 100.0 : 1.0);
    const std::vector<uint16_t> sum16 = to_bf16(sum);
    if (bf16) sum = to_float(sum16);
    const Stretch stretch = bf16 ? state.piece(sum16, 0, kCount, optimizer->slots())
                                 : state.piece(sum, 0, kCount, optimizer->slots());
    optimizer->update(stretch, {.learning_rate = kRate, .step = step, .gradient_scale = 0.25f});
    at::Tensor(weights).mutable_grad() = tensor_of(sum) * 0.25;
    reference.step();
    worst = std::max(worst, (tensor_of(state.weights) - weights.detach()).abs().max().item<double>());
    scale = std::max(scale, weights.detach().abs().max().item<double>());
    if (bf16) CHECK(state.rounded == to_bf16(state.weights));
  }
  return {worst, rounding_bound(4 * kSteps, scale)};
}

at::Tensor start() { return tensor_of(OptimizerState(kCount).weights).set_requires_grad(true); }

}  // namespace

TEST_CASE("AdamW is LibTorch's") {
  for (const bool bf16 : {false, true}) {
    for (const double decay : {0.0, 0.3}) {
      INFO("bf16 gradients " << bf16 << ", weight decay " << decay);
      OptimizerConfig config;
      config.weight_decay = decay;
      config.beta2 = 0.95;
      const at::Tensor weights = start();
      torch::optim::AdamW reference({weights},
                                    torch::optim::AdamWOptions(kRate).weight_decay(decay).betas({0.9, 0.95}));
      const Distance apart = distance(config, reference, weights, bf16);
      CHECK(apart.largest < apart.bound);
    }
  }
}

TEST_CASE("SGD is LibTorch's, with and without momentum") {
  for (const bool bf16 : {false, true}) {
    for (const double momentum : {0.0, 0.9}) {
      INFO("bf16 gradients " << bf16 << ", momentum " << momentum);
      OptimizerConfig config{.name = "sgd", .weight_decay = 0.1, .momentum = momentum};
      CHECK(make_optimizer(config)->slots() == (momentum > 0 ? 1 : 0));
      const at::Tensor weights = start();
      torch::optim::SGD reference({weights},
                                  torch::optim::SGDOptions(kRate).weight_decay(0.1).momentum(momentum));
      const Distance apart = distance(config, reference, weights, bf16);
      CHECK(apart.largest < apart.bound);
    }
  }
}

TEST_CASE("rounding to bf16 is LibTorch's, bit by bit") {
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; ++high) {
    for (const uint32_t low : {0x0u, 0x1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      values.push_back(std::bit_cast<float>(high << 16 | low));
    }
  }
  const at::Tensor rounded = tensor_of(values).to(at::kBFloat16);
  const auto* bits = static_cast<const uint16_t*>(rounded.data_ptr());
  int64_t wrong = 0, wrong_in_tensors = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t own = float_to_bf16(values[i]);
    if (own != c10::BFloat16(values[i]).x) ++wrong;
    // A whole tensor is converted by vector code, whose NaN depends on the CPU.
    const bool same = std::isnan(values[i]) ? std::isnan(bf16_to_float(bits[i])) : own == bits[i];
    if (!same) ++wrong_in_tensors;
  }
  CHECK(wrong == 0);
  CHECK(wrong_in_tensors == 0);
}

TEST_CASE("an optimizer rounds a weight that is NaN as every layer does") {
  for (const uint32_t bits : {0x7f800001u, 0x7fc12345u, 0x7fffffffu, 0xff812345u, 0xffc00000u}) {
    float weight = std::bit_cast<float>(bits), gradient = 0;
    uint16_t rounded = 0;
    Stretch stretch;
    stretch.count = 1;
    stretch.weights = &weight;
    stretch.gradient = &gradient;
    stretch.rounded = &rounded;
    make_optimizer({.name = "sgd", .momentum = 0})->update(stretch, {});
    CHECK(rounded == 0x7fc0);
  }
}
