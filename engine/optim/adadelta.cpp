// Adadelta: the update has the unit of the weight, for it is scaled by the root mean square of past updates.
// Zeiler 2012, arXiv:1212.5701, algorithm 1; the learning rate is torch.optim.Adadelta's, 1 in the paper.
// rho is torch's 0.9; the paper's experiments have 0.95.
//
//   g <- g + lambda w                     v <- rho v + (1 - rho) g^2
//   x = sqrt(d + eps) / sqrt(v + eps) * g          d <- rho d + (1 - rho) x^2          w <- w - lr x
//
// State an element: v and d, 8 bytes; with bf16 parameters 4 more for the master copy.
#include <cmath>

#include "elementwise.h"
#include "rules.h"

namespace ringside::optimizers {
namespace {

constexpr auto kRule = []<typename Real>(const Values& value, const UpdateOptions& options) {
  const double keep = value.at("rho");
  const auto decay = static_cast<Real>(value.at("weight_decay"));
  const auto rho = static_cast<Real>(keep), rest = static_cast<Real>(1.0 - keep);
  const auto rate = static_cast<Real>(options.learning_rate);
  const auto eps = static_cast<Real>(value.at("eps"));
  return [=](Real g, Real& w, Real& v, Real& d) {
    g = g + decay * w;
    v = rho * v + weighted_square(rest, g);
    const Real x = std::sqrt(d + eps) / std::sqrt(v + eps) * g;
    d = rho * d + rest * (x * x);
    w = w - rate * x;
  };
};

}  // namespace

OptimizerSpec adadelta() {
  return {.name = "adadelta",
          .title = "Adadelta",
          .state = {{"v", "mean of the squared gradient"}, {"d", "mean of the squared update"}},
          .hyperparameters = {{"rho", "what v and d keep of themselves in a step", 0.9, 0, 1},
                              {"eps", "added inside of both roots", 1e-6},
                              {"weight_decay", "lambda, added to the gradient", 0}},
          .update = Elementwise<2, decltype(kRule)>()};
}

}  // namespace ringside::optimizers
