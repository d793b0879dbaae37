// What rules share, and the rules that a GPU has too (kernels/update.h). Each optimizer's .cpp has its
// equation and its paper.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ringside/optim/declaration.h"

#ifdef __CUDACC__
#define RINGSIDE_GPU_TOO __host__ __device__  // kernels/update.cu has the same step
#else
#define RINGSIDE_GPU_TOO
#endif

namespace ringside::optimizers {

// What a square of the gradient adds to its fading mean, (1 - beta) g^2:
// rest * (g * g) for 0 < rest <= 1, finite wherever that is. In fp32 g * g alone overflows from |g| = 1.8e19
// on, and a weight would stand still; LibTorch has (rest * g) * g, which with rest = 0.001 is finite up to
// |g| = 5.8e20. So from |g| = 2^63 on g is divided by 2^63 and rest multiplied by 2^126: powers of two change
// no bit of what is finite. A loop over elements keeps its vectors.
template <typename Real>
RINGSIDE_GPU_TOO inline Real weighted_square(Real rest, Real g) {
  using Bits = std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>;
  constexpr int kMantissa = std::numeric_limits<Real>::digits - 1;  // bits; the exponent is above them
  constexpr Bits kOne = std::bit_cast<Bits>(Real{1});
  constexpr Bits kDown = Bits{std::numeric_limits<Real>::max_exponent / 2 - 1} << kMantissa;
  // The sign of the difference, in every bit: a comparison would become a branch.
  const Bits is_large = (kOne + kDown - 1 - std::bit_cast<Bits>(std::abs(g))) >> (8 * sizeof(Real) - 1);
  const Bits down = is_large & kDown;
  const Real small = g * std::bit_cast<Real>(kOne - down);
  return std::bit_cast<Real>(std::bit_cast<Bits>(rest) + 2 * down) * (small * small);
}

// What Adam and its variants share: two moments, corrected for their start at 0, and the step that they give.
// Kingma, Ba 2014, arXiv:1412.6980, algorithm 1.
//
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
//   step = lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
//
// m is taken as m + (1 - beta1) (g - m): only the last of its roundings is as large as m's.
template <typename Real>
class AdamMoments {
 public:
  AdamMoments(const Values& value, const UpdateOptions& options) {
    const double beta1 = value.at("beta1"), beta2 = value.at("beta2");
    const auto t = double(options.step);
    beta2_ = static_cast<Real>(beta2);
    rest1_ = static_cast<Real>(1.0 - beta1);
    rest2_ = static_cast<Real>(1.0 - beta2);
    rate_ = static_cast<Real>(options.learning_rate / (1.0 - std::pow(beta1, t)));
    root_bias2_ = static_cast<Real>(std::sqrt(1.0 - std::pow(beta2, t)));
    eps_ = static_cast<Real>(value.at("eps"));
  }

  RINGSIDE_GPU_TOO void add(Real g, Real& m, Real& v) const {
    m = m + rest1_ * (g - m);
    v = beta2_ * v + weighted_square(rest2_, g);
  }
  RINGSIDE_GPU_TOO Real step(Real m, Real v) const {
    return rate_ * (m / (std::sqrt(v) / root_bias2_ + eps_));
  }

 private:
  Real beta2_, rest1_, rest2_, rate_, root_bias2_, eps_;
};

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
    const Real sign = c != c ? c : static_cast<Real>((c > 0) - (c < 0));  // NaN stays
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
