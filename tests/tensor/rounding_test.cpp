// The rounding that every layer uses against LibTorch's.
#include <ATen/ATen.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>

#include "catch.h"
#include "optimizer_state.h"
#include "ringside/base/bfloat16.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("rounding to bf16 is LibTorch's, bit by bit") {
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; ++high)
    for (const uint32_t low : {0x0u, 0x1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
      values.push_back(std::bit_cast<float>(high << 16 | low));
  const at::Tensor rounded = at::tensor(at::ArrayRef<float>(values), at::kFloat).to(at::kBFloat16);
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

// Gradients whose square is not finite in fp32, beside LibTorch's own optimizers.
namespace {

constexpr double kRate = 0.03;

at::Tensor tensor_of(const std::vector<float>& values) {
  return at::tensor(at::ArrayRef<float>(values.data(), values.size()), at::kFloat);
}

// From what has a finite square to what has none however it is multiplied: 0.001 g^2 is finite up to 5.8e20.
const std::vector<float> kGradients = {1e18f, 1.8e19f, 1.9e19f, -1e20f, 5.7e20f, -5.9e20f, 1e30f};
constexpr size_t kFirstInfinite = 5;

using MakeReference = std::function<std::unique_ptr<torch::optim::Optimizer>(const at::Tensor& weights)>;

struct Pair {
  OptimizerConfig own;
  MakeReference torchs;
};

std::vector<Pair> pairs() {
  using namespace torch::optim;
  return {
      {{.name = "adam"},
       [](const at::Tensor& weights) {
         return std::make_unique<Adam>(std::vector{weights}, AdamOptions(kRate));
       }},
      {{.name = "adamw"},
       [](const at::Tensor& weights) {
         return std::make_unique<AdamW>(std::vector{weights}, AdamWOptions(kRate).weight_decay(0.01));
       }},
      {{.name = "amsgrad"},
       [](const at::Tensor& weights) {
         return std::make_unique<Adam>(std::vector{weights}, AdamOptions(kRate).amsgrad(true));
       }},
      {{.name = "rmsprop", .values = {{"alpha", 0.999}}},
       [](const at::Tensor& weights) {
         return std::make_unique<RMSprop>(std::vector{weights}, RMSpropOptions(kRate).alpha(0.999));
       }},
  };
}

}  // namespace

TEST_CASE("a gradient whose square alone is not finite moves a weight as LibTorch's optimizers do") {
  const auto count = std::ssize(kGradients);
  for (const Pair& pair : pairs()) {
    INFO(pair.own.name);
    const Optimizer optimizer = make_optimizer(pair.own);
    OptimizerState state(count, optimizer);
    const std::vector<float> at_first = state.weights;
    const at::Tensor weights = tensor_of(state.weights).set_requires_grad(true);
    const auto reference = pair.torchs(weights);
    optimizer.update(state.piece(kGradients, 0, count),
                     {.learning_rate = kRate, .step = 1, .gradient_scale = 1});
    at::Tensor(weights).mutable_grad() = tensor_of(kGradients);
    reference->step();
    for (size_t i = 0; i < kGradients.size(); ++i) {
      INFO("gradient " << kGradients[i]);
      const float torchs = weights.detach()[static_cast<int64_t>(i)].item<float>();
      CHECK(std::abs(state.weights[i] - torchs) < 1e-6 * std::max(1.0f, std::abs(torchs)));
      const bool moves = std::abs(state.weights[i] - at_first[i]) > kRate / 2;
      CHECK(moves == (i < kFirstInfinite));
    }
  }
}
