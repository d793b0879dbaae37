// AMSGrad: Adam that divides by the largest second moment so far, as torch.optim.Adam(amsgrad=True) has it.
// Reddi, Kale, Kumar 2018, "On the Convergence of Adam and Beyond", arXiv:1904.09237, algorithm 2; the
// division by 1 - beta^t is torch's.
//
//   g <- g + lambda w
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2          s <- max(s, v)
//   w <- w - lr / (1 - beta1^t) * m / (sqrt(s / (1 - beta2^t)) + eps)
//
// State an element: m, v and s, 12 bytes; with bf16 parameters 4 more for the master copy.
#include <algorithm>
#include <cmath>

#include "ringside/optim/declaration.h"

namespace ringside::optimizers {
namespace {

void update(const Elements& e, const Values& value, const UpdateOptions& options) {
  const auto t = static_cast<double>(options.step);
  const double b1 = value.at("beta1"), b2 = value.at("beta2");
  const auto decay = static_cast<float>(value.at("weight_decay"));
  const auto beta1 = static_cast<float>(b1), beta2 = static_cast<float>(b2);
  const auto rest1 = static_cast<float>(1.0 - b1), rest2 = static_cast<float>(1.0 - b2);
  const auto rate = static_cast<float>(options.learning_rate / (1.0 - std::pow(b1, t)));
  const auto root_bias2 = static_cast<float>(std::sqrt(1.0 - std::pow(b2, t)));
  const auto eps = static_cast<float>(value.at("eps"));
  const float scale = options.gradient_scale;
  float* __restrict w = e.weights;
  float* __restrict m = e.state[0];
  float* __restrict v = e.state[1];
  float* __restrict s = e.state[2];
  with_gradient(e, [&](auto gradient) {
    for (int64_t i = 0; i < e.count; ++i) {
      const float g = gradient(i) * scale + decay * w[i];
      m[i] = beta1 * m[i] + rest1 * g;
      v[i] = beta2 * v[i] + rest2 * (g * g);
      s[i] = std::max(s[i], v[i]);
      w[i] = w[i] - rate * (m[i] / (std::sqrt(s[i]) / root_bias2 + eps));
    }
  });
}

}  // namespace

OptimizerSpec amsgrad() {
  return {
      .name = "amsgrad",
      .title = "AMSGrad",
      .granularity = Granularity::kElement,
      .state = {{"m", "mean of the gradient"}, {"v", "mean of its square"}, {"s", "the largest v so far"}},
      .hyperparameters = {{"beta1", "what m keeps of itself in a step", 0.9, 0, 1},
                          {"beta2", "what v keeps of itself in a step", 0.999, 0, 1},
                          {"eps", "added to the root of s", 1e-8},
                          {"weight_decay", "lambda, added to the gradient", 0}},
      .update = update};
}

}  // namespace ringside::optimizers
