// Adam. Kingma, Ba 2014, arXiv:1412.6980, algorithm 1; weight decay is added to the gradient, as
// torch.optim.Adam has it.
//
//   g <- g + lambda w
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
  const auto decay = static_cast<Real>(value.at("weight_decay"));
  const auto beta1 = static_cast<Real>(b1), beta2 = static_cast<Real>(b2);
  const auto rest1 = static_cast<Real>(1.0 - b1), rest2 = static_cast<Real>(1.0 - b2);
  const auto rate = static_cast<Real>(options.learning_rate / (1.0 - std::pow(b1, t)));
  const auto root_bias2 = static_cast<Real>(std::sqrt(1.0 - std::pow(b2, t)));
  const auto eps = static_cast<Real>(value.at("eps"));
  return [=](Real g, Real& w, Real& m, Real& v) {
    g = g + decay * w;
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * (g * g);
    w = w - rate * (m / (std::sqrt(v) / root_bias2 + eps));
  };
};

}  // namespace

OptimizerSpec adam() {
  return {.name = "adam",
          .title = "Adam",
          .granularity = Granularity::kElement,
          .state = {{"m", "mean of the gradient"}, {"v", "mean of its square"}},
          .hyperparameters = {{"beta1", "what m keeps of itself in a step", 0.9, 0, 1},
                              {"beta2", "what v keeps of itself in a step", 0.999, 0, 1},
                              {"eps", "added to the root of v", 1e-8},
                              {"weight_decay", "lambda, added to the gradient", 0}},
          .update = Elementwise<2, decltype(kRule)>()};
}

}  // namespace ringside::optimizers
