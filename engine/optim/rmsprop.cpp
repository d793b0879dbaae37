// RMSprop: divides by the root of a fading mean of the squared gradients. Hinton, Srivastava, Swersky 2012,
// "Neural Networks for Machine Learning", lecture 6e; centred: Graves 2013, arXiv:1308.0850, equations 38 to
// 45; eps stands outside of the root, as in torch.optim.RMSprop. alpha is torch's 0.99; the lecture has 0.9.
//
//   g <- g + lambda w          v <- alpha v + (1 - alpha) g^2          a <- alpha a + (1 - alpha) g
//   u <- mu u + g / (sqrt(v - a^2) + eps), a = 0 unless centred          w <- w - lr u
//
// Under a gradient that does not change, v - a^2 goes to 0. Where it rounds to less it counts as 0; torch's
// root is NaN there. Steps then grow up to lr g / eps: Graves' eps, 1e-4 inside of the root, bounds them by
// 100 lr g.
//
// State an element: v, 4 bytes; 4 more each for a (centred) and u (momentum); with bf16 parameters 4 more for
// the master copy.
#include <algorithm>
#include <cmath>

#include "elementwise.h"
#include "rules.h"

namespace ringside::optimizers {
namespace {

constexpr auto kRule = []<typename Real>(const Values& value, const UpdateOptions& options) {
  const double keep = value.at("alpha");
  const auto decay = static_cast<Real>(value.at("weight_decay"));
  const auto alpha = static_cast<Real>(keep), rest = static_cast<Real>(1.0 - keep);
  const auto momentum = static_cast<Real>(value.at("momentum"));
  const auto rate = static_cast<Real>(options.learning_rate);
  const auto eps = static_cast<Real>(value.at("eps"));
  const auto centred = static_cast<Real>(value.at("centred") != 0 ? 1 : 0);
  return [=](Real g, Real& w, Real& v, Real& a, Real& u) {
    g = g + decay * w;
    v = alpha * v + weighted_square(rest, g);
    a = centred * (alpha * a + rest * g);
    u = momentum * u + g / (std::sqrt(std::max(v - a * a, Real{0})) + eps);  // max(NaN, 0) is NaN
    w = w - rate * u;
  };
};

}  // namespace

OptimizerSpec rmsprop() {
  return {.name = "rmsprop",
          .title = "RMSprop",
          .state = {{"v", "mean of the squared gradient"},
                    {"a", "mean of the gradient", "centred"},
                    {"u", "sum of updates, older ones fading", "momentum"}},
          .hyperparameters = {{"alpha", "what v and a keep of themselves in a step", 0.99, 0, 1},
                              {"eps", "added to the root", 1e-8},
                              {"momentum", "mu, what u keeps of itself in a step", 0, 0, 1},
                              {"centred", "1: divides by the deviation; 0: by the root of v", 0, 0, 2},
                              {"weight_decay", "lambda, added to the gradient", 0}},
          .update = Elementwise<3, decltype(kRule), 2>()};
}

}  // namespace ringside::optimizers
