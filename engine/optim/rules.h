// The rules that a GPU has too (kernels/update.h). Each optimizer's .cpp has its equation and its paper.
#pragma once

#include "adam_moments.h"

namespace ringside::optimizers {

template <typename Real>
struct AdamRule {
  AdamMoments<Real> moments;
  Real decay;

  AdamRule(const Values& value, const UpdateOptions& options)
      : moments(value, options), decay(static_cast<Real>(value.at("weight_decay"))) {}
  RINGSIDE_GPU_TOO void operator()(Real g, Real& w, Real& m, Real& v) const {
    moments.add(g + decay * w, m, v);
    w = w - moments.step(m, v);
  }
};

template <typename Real>
struct AdamWRule {
  AdamMoments<Real> moments;
  Real keep;

  AdamWRule(const Values& value, const UpdateOptions& options)
      : moments(value, options),
        keep(static_cast<Real>(1.0 - options.learning_rate * value.at("weight_decay"))) {}
  RINGSIDE_GPU_TOO void operator()(Real g, Real& w, Real& m, Real& v) const {
    moments.add(g, m, v);
    w = w * keep - moments.step(m, v);
  }
};

template <typename Real>
struct SgdRule {
  Real decay, momentum, rate;
  bool nesterov;

  SgdRule(const Values& value, const UpdateOptions& options)
      : decay(static_cast<Real>(value.at("weight_decay"))),
        momentum(static_cast<Real>(value.at("momentum"))),
        rate(static_cast<Real>(options.learning_rate)),
        nesterov(value.at("nesterov") != 0) {}
  RINGSIDE_GPU_TOO void operator()(Real g, Real& w, Real& u) const {
    g = g + decay * w;
    u = momentum * u + g;
    w = w - rate * (nesterov ? g + momentum * u : u);
  }
};

template <typename Real>
struct LionRule {
  Real beta1, rest1, beta2, rest2, decay, rate;

  LionRule(const Values& value, const UpdateOptions& options)
      : beta1(static_cast<Real>(value.at("beta1"))),
        rest1(static_cast<Real>(1.0 - value.at("beta1"))),
        beta2(static_cast<Real>(value.at("beta2"))),
        rest2(static_cast<Real>(1.0 - value.at("beta2"))),
        decay(static_cast<Real>(value.at("weight_decay"))),
        rate(static_cast<Real>(options.learning_rate)) {}
  RINGSIDE_GPU_TOO void operator()(Real g, Real& w, Real& m) const {
    const Real c = beta1 * m + rest1 * g;
    const Real sign = static_cast<Real>((c > 0) - (c < 0));
    w = w - rate * (sign + decay * w);
    m = beta2 * m + rest2 * g;
  }
};

// As Elementwise takes a rule.
template <template <typename> typename Rule>
struct Made {
  template <typename Real>
  Rule<Real> operator()(const Values& values, const UpdateOptions& options) const {
    return {values, options};
  }
};

}  // namespace ringside::optimizers
