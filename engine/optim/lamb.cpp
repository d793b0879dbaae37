// LAMB: Adam's direction, as long as the parameter asks. You et al. 2019, "Large Batch Optimization for Deep
// Learning: Training BERT in 76 minutes", arXiv:1904.00962, algorithm 2 with phi(z) = z.
//
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
//   r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + lambda w
//   w <- w - lr |w| / |r| r          both norms are of the parameter; where one is 0 the factor is 1
//
// State an element: m and v, 8 bytes; with bf16 parameters 4 more for the master copy. The squares are summed
// in double, first of each rank's elements, then over ranks.
#include <cmath>

#include "elementwise.h"
#include "rules.h"

namespace ringside::optimizers {
namespace {

// m and v of an element, and its r.
template <typename Real>
struct Direction {
  Direction(const Values& value, const UpdateOptions& options) {
    const double b1 = value.at("beta1"), b2 = value.at("beta2"), t = double(options.step);
    beta1 = static_cast<Real>(b1), rest1 = static_cast<Real>(1.0 - b1);
    beta2 = static_cast<Real>(b2), rest2 = static_cast<Real>(1.0 - b2);
    bias1 = static_cast<Real>(1.0 - std::pow(b1, t)), bias2 = static_cast<Real>(1.0 - std::pow(b2, t));
    eps = static_cast<Real>(value.at("eps"));
    decay = static_cast<Real>(value.at("weight_decay"));
  }
  void add(Real g, Real& m, Real& v) const {
    m = beta1 * m + rest1 * g;
    v = beta2 * v + weighted_square(rest2, g);
  }
  Real of(Real w, Real m, Real v) const { return m / bias1 / (std::sqrt(v / bias2) + eps) + decay * w; }

 private:
  Real beta1, rest1, bias1, beta2, rest2, bias2, eps, decay;
};

// The new m and v, and the squares of |w| and |r|.
constexpr auto kNorms = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                          const UpdateOptions& options) {
  const Direction<Real> r(value, options);
  double weights = 0, directions = 0;
  with_gradient(e, [&](auto gradient) {
    for (int64_t i = 0; i < e.count; ++i) {
      r.add(gradient(i) * static_cast<Real>(options.gradient_scale), e.state[0][i], e.state[1][i]);
      const double own = r.of(e.weights[i], e.state[0][i], e.state[1][i]);
      weights += double(e.weights[i]) * e.weights[i];
      directions += own * own;
    }
  });
  e.sums[0][0] += weights;
  e.sums[0][1] += directions;
};

constexpr auto kUpdate = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                           const UpdateOptions& options) {
  const Direction<Real> r(value, options);
  const double weights = e.sums[0][0], directions = e.sums[0][1];
  const double trust = weights > 0 && directions > 0 ? std::sqrt(weights / directions) : 1;
  const auto rate = static_cast<Real>(options.learning_rate * trust);
  for (int64_t i = 0; i < e.count; ++i)
    e.weights[i] = e.weights[i] - rate * r.of(e.weights[i], e.state[0][i], e.state[1][i]);
};

}  // namespace

OptimizerSpec lamb() {
  return {
      .name = "lamb",
      .title = "LAMB",
      .granularity = Granularity::kTensor,
      .state = {{"m", "mean of the gradient"}, {"v", "mean of its square"}},
      .hyperparameters = {{"beta1", "what m keeps of itself in a step", 0.9, 0, 1},
                          {"beta2", "what v keeps of itself in a step", 0.999, 0, 1},
                          {"eps", "added to the root of v", 1e-6},
                          {"weight_decay", "lambda, of the weight itself", 0.01}},
      .sums = {{"squares of weights and directions", [](auto, const Values&) { return int64_t{2}; }, kNorms}},
      .update = kUpdate};
}

}  // namespace ringside::optimizers
