// AdamW: Adam with decoupled weight decay. Loshchilov, Hutter 2017, arXiv:1711.05101.
//
//   w <- w - lr * lambda * w
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
//   w <- w - lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
//
// State an element: m and v, 8 bytes; with bf16 parameters 4 more for the master copy.
#include <cmath>

#include "elementwise.h"

namespace ringside::optimizers {
namespace {

constexpr auto kRule = []<typename Real>(const Values& value, const UpdateOptions& options) {
  const auto t = static_cast<double>(options.step);
  const double b1 = value.at("beta1"), b2 = value.at("beta2");
  const auto keep = static_cast<Real>(1.0 - options.learning_rate * value.at("weight_decay"));
  const auto beta1 = static_cast<Real>(b1), beta2 = static_cast<Real>(b2);
  const auto rest1 = static_cast<Real>(1.0 - b1), rest2 = static_cast<Real>(1.0 - b2);
  const auto rate = static_cast<Real>(options.learning_rate / (1.0 - std::pow(b1, t)));
  const auto root_bias2 = static_cast<Real>(std::sqrt(1.0 - std::pow(b2, t)));
  const auto eps = static_cast<Real>(value.at("eps"));
  return [=](Real g, Real& w, Real& m, Real& v) {
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * (g * g);
    w = w * keep - rate * (m / (std::sqrt(v) / root_bias2 + eps));
  };
};

}  // namespace

OptimizerSpec adamw() {
  return {.name = "adamw",
          .title = "AdamW",
          .granularity = Granularity::kElement,
          .state = {{"m", "mean of the gradient"}, {"v", "mean of its square"}},
          .hyperparameters = {{"beta1", "what m keeps of itself in a step", 0.9, 0, 1},
                              {"beta2", "what v keeps of itself in a step", 0.999, 0, 1},
                              {"eps", "added to the root of v", 1e-8},
                              {"weight_decay", "lambda, of the weight itself", 0.01}},
          .update = Elementwise<2, decltype(kRule)>()};
}

}  // namespace ringside::optimizers
