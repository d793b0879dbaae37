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

#include "elementwise.h"

namespace ringside::optimizers {
namespace {

constexpr auto kRule = []<typename Real>(const Values& value, const UpdateOptions& options) {
  const auto t = static_cast<double>(options.step);
  const double b1 = value.at("beta1"), b2 = value.at("beta2");
  const auto decay = static_cast<Real>(value.at("weight_decay"));
  const auto beta1 = static_cast<Real>(b1), beta2 = static_cast<Real>(b2);
  const auto rest1 = static_cast<Real>(1.0 - b1), rest2 = static_cast<Real>(1.0 - b2);
  const auto rate = static_cast<Real>(options.learning_rate / (1.0 - std::pow(b1, t)));
  const auto root_bias2 = static_cast<Real>(std::sqrt(1.0 - std::pow(b2, t)));
  const auto eps = static_cast<Real>(value.at("eps"));
  return [=](Real g, Real& w, Real& m, Real& v, Real& s) {
    g = g + decay * w;
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * (g * g);
    s = std::max(s, v);
    w = w - rate * (m / (std::sqrt(s) / root_bias2 + eps));
  };
};

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
      .update = Elementwise<3, decltype(kRule)>()};
}

}  // namespace ringside::optimizers
