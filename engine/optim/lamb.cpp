// LAMB: Adam's direction, as long as the parameter asks. You et al. 2019, "Large Batch Optimization for Deep
// Learning: Training BERT in 76 minutes", arXiv:1904.00962, algorithm 2 with phi(z) = z.
//
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
//   r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + lambda w
//   w <- w - lr |w| / |r| r               both norms are of the parameter; the factor is 1 where one of them
//   is 0
//
// State an element: m and v, 8 bytes; with bf16 parameters 4 more for the master copy. The norms are summed
// in double.
#include <cmath>

#include "elementwise.h"

namespace ringside::optimizers {
namespace {

// What becomes of m and v, and r of an element.
template <typename Real>
auto direction(const Values& value, const UpdateOptions& options) {
  const auto t = static_cast<double>(options.step);
  const double b1 = value.at("beta1"), b2 = value.at("beta2");
  const auto beta1 = static_cast<Real>(b1), rest1 = static_cast<Real>(1.0 - b1);
  const auto beta2 = static_cast<Real>(b2), rest2 = static_cast<Real>(1.0 - b2);
  const auto bias1 = static_cast<Real>(1.0 - std::pow(b1, t)),
             bias2 = static_cast<Real>(1.0 - std::pow(b2, t));
  const auto eps = static_cast<Real>(value.at("eps")), decay = static_cast<Real>(value.at("weight_decay"));
  return [=](Real g, Real w, Real& m, Real& v) {
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * (g * g);
    return m / bias1 / (std::sqrt(v / bias2) + eps) + decay * w;
  };
}

constexpr auto kUpdate = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                           const UpdateOptions& options) {
  const auto rule = direction<Real>(value, options);
  std::vector<Real> r(static_cast<size_t>(e.count));
  double weights = 0, directions = 0;  // squares
  with_gradient(e, [&](auto gradient) {
    for (int64_t i = 0; i < e.count; ++i) {
      Real& own = r[static_cast<size_t>(i)];
      own = rule(gradient(i) * static_cast<Real>(options.gradient_scale), e.weights[i], e.state[0][i],
                 e.state[1][i]);
      weights += static_cast<double>(e.weights[i]) * e.weights[i];
      directions += static_cast<double>(own) * own;
    }
  });
  const double trust = weights > 0 && directions > 0 ? std::sqrt(weights / directions) : 1;
  const auto rate = static_cast<Real>(options.learning_rate * trust);
  for (int64_t i = 0; i < e.count; ++i) e.weights[i] = e.weights[i] - rate * r[static_cast<size_t>(i)];
};

}  // namespace

OptimizerSpec lamb() {
  return {.name = "lamb",
          .title = "LAMB",
          .granularity = Granularity::kTensor,
          .state = {{"m", "mean of the gradient"}, {"v", "mean of its square"}},
          .hyperparameters = {{"beta1", "what m keeps of itself in a step", 0.9, 0, 1},
                              {"beta2", "what v keeps of itself in a step", 0.999, 0, 1},
                              {"eps", "added to the root of v", 1e-6},
                              {"weight_decay", "lambda, of the weight itself", 0.01}},
          .update = kUpdate};
}

}  // namespace ringside::optimizers
