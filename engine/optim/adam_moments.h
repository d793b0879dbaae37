// What Adam and its variants share: two moments, corrected for their start at 0, and the step that they give.
// Kingma, Ba 2014, arXiv:1412.6980, algorithm 1.
//
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
//   step = lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
//
// m is taken as m + (1 - beta1) (g - m): only the last of its roundings is as large as m's.
#pragma once

#include <cmath>

#include "ringside/optim/declaration.h"
#include "weighted_square.h"

namespace ringside::optimizers {

template <typename Real>
class AdamMoments {
 public:
  AdamMoments(const Values& value, const UpdateOptions& options)
      : AdamMoments(value.at("beta1"), value.at("beta2"), value.at("eps"), options) {}

  RINGSIDE_GPU_TOO void add(Real g, Real& m, Real& v) const {
    m = m + rest1_ * (g - m);
    v = beta2_ * v + weighted_square(rest2_, g);
  }
  RINGSIDE_GPU_TOO Real step(Real m, Real v) const {
    return rate_ * (m / (std::sqrt(v) / root_bias2_ + eps_));
  }

 private:
  AdamMoments(double beta1, double beta2, double eps, const UpdateOptions& options)
      : beta2_(static_cast<Real>(beta2)),
        rest1_(static_cast<Real>(1.0 - beta1)),
        rest2_(static_cast<Real>(1.0 - beta2)),
        rate_(static_cast<Real>(options.learning_rate /
                                (1.0 - std::pow(beta1, static_cast<double>(options.step))))),
        root_bias2_(static_cast<Real>(std::sqrt(1.0 - std::pow(beta2, static_cast<double>(options.step))))),
        eps_(static_cast<Real>(eps)) {}

  Real beta2_, rest1_, rest2_, rate_, root_bias2_, eps_;
};

}  // namespace ringside::optimizers
