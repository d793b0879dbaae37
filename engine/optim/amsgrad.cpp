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

#include "elementwise.h"
#include "rules.h"

namespace ringside::optimizers {
namespace {

constexpr auto kRule = []<typename Real>(const Values& value, const UpdateOptions& options) {
  const auto decay = static_cast<Real>(value.at("weight_decay"));
  return [=, moments = AdamMoments<Real>(value, options)](Real g, Real& w, Real& m, Real& v, Real& s) {
    moments.add(g + decay * w, m, v);
    s = std::max(s, v);
    w = w - moments.step(m, s);
  };
};

}  // namespace

OptimizerSpec amsgrad() {
  return {
      .name = "amsgrad",
      .title = "AMSGrad",
      .state = {{"m", "mean of the gradient"}, {"v", "mean of its square"}, {"s", "the largest v so far"}},
      .hyperparameters = {{"beta1", "what m keeps of itself in a step", 0.9, 0, 1},
                          {"beta2", "what v keeps of itself in a step", 0.999, 0, 1},
                          {"eps", "added to the root of s", 1e-8},
                          {"weight_decay", "lambda, added to the gradient", 0}},
      .update = Elementwise<3, decltype(kRule)>()};
}

}  // namespace ringside::optimizers
