// Lion: the sign of an interpolation between momentum and gradient. Chen et al. 2023, "Symbolic Discovery of
// Optimization Algorithms", arXiv:2302.06675, algorithm 2.
//
//   c = beta1 m + (1 - beta1) g          w <- w - lr (sign(c) + lambda w)          m <- beta2 m + (1 - beta2)
//   g
//
// State an element: m, 4 bytes; with bf16 parameters 4 more for the master copy.
#include "elementwise.h"

namespace ringside::optimizers {
namespace {

constexpr auto kRule = []<typename Real>(const Values& value, const UpdateOptions& options) {
  const double b1 = value.at("beta1"), b2 = value.at("beta2");
  const auto beta1 = static_cast<Real>(b1), rest1 = static_cast<Real>(1.0 - b1);
  const auto beta2 = static_cast<Real>(b2), rest2 = static_cast<Real>(1.0 - b2);
  const auto decay = static_cast<Real>(value.at("weight_decay"));
  const auto rate = static_cast<Real>(options.learning_rate);
  return [=](Real g, Real& w, Real& m) {
    const Real c = beta1 * m + rest1 * g;
    const Real sign = static_cast<Real>((c > 0) - (c < 0));
    w = w - rate * (sign + decay * w);
    m = beta2 * m + rest2 * g;
  };
};

}  // namespace

OptimizerSpec lion() {
  return {.name = "lion",
          .title = "Lion",
          .state = {{"m", "mean of the gradient"}},
          .hyperparameters = {{"beta1", "what the step has of m", 0.9, 0, 1},
                              {"beta2", "what m keeps of itself in a step", 0.99, 0, 1},
                              {"weight_decay", "lambda, of the weight itself", 0}},
          .update = Elementwise<1, decltype(kRule)>()};
}

}  // namespace ringside::optimizers
