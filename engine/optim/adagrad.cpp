// Adagrad: each element's rate falls with the sum of its squared gradients. Duchi, Hazan, Singer 2011,
// "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", JMLR 12, figure 1
// (diagonal).
//
//   g <- g + lambda w          s <- s + g^2          w <- w - lr / (1 + (t - 1) decay) * g / (sqrt(s) + eps)
//
// s does not fall: an element whose |g| was once above 1.8e19, where g^2 is infinite in fp32, moves no more.
//
// State an element: s, 4 bytes; with bf16 parameters 4 more for the master copy.
#include <cmath>

#include "elementwise.h"

namespace ringside::optimizers {
namespace {

constexpr auto kRule = []<typename Real>(const Values& value, const UpdateOptions& options) {
  const auto decay = static_cast<Real>(value.at("weight_decay"));
  const double slower = 1.0 + double(options.step - 1) * value.at("lr_decay");
  const auto rate = static_cast<Real>(options.learning_rate / slower);
  const auto eps = static_cast<Real>(value.at("eps"));
  return [=](Real g, Real& w, Real& s) {
    g = g + decay * w;
    s = s + g * g;
    w = w - rate * (g / (std::sqrt(s) + eps));
  };
};

}  // namespace

OptimizerSpec adagrad() {
  return {.name = "adagrad",
          .title = "Adagrad",
          .state = {{"s", "sum of the squared gradients"}},
          .hyperparameters = {{"eps", "added to the root of s", 1e-10},
                              {"lr_decay", "what the learning rate loses in a step", 0},
                              {"weight_decay", "lambda, added to the gradient", 0}},
          .update = Elementwise<1, decltype(kRule)>()};
}

}  // namespace ringside::optimizers
