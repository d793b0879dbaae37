// RMS norm on plain memory: as layer norm, without the mean and without a bias.
//
//   s = 1 / sqrt(mean(x^2) + eps)   u = x s   y = w u
//   dx = (g - u mean(g u)) s with g = w dy     dw = sum(dy u)
//
// Zhang, Sennrich 2019, arXiv:1910.07467. Results are computed in fp64 and rounded once, to Real; in backward
// mean(g u) is summed in Real, of fewer than 64 features in fp64. As in layer norm, s is taken to dy, and y
// and dx of 6 MiB or more are written past the caches where that is faster. in_real is as there: y is off by
// at most 3 units in its last place.
#pragma once

#include "ringside/norms/layer_norm.h"  // Rows

namespace ringside::norms {

template <typename Real>
struct RmsNormForward {
  Rows rows;
  double eps = 0;
  const Real *x, *weight;  // (M, H), (H)
  Real* y;                 // (M, H)
  double* scale;           // (M), which backward reads: s
  bool in_real = false;
};

template <typename Real>
struct RmsNormBackward {
  Rows rows;
  const Real *x, *weight;
  const double* scale;
  const Real* dy;  // (M, H)
  Real *dx, *dw;   // (M, H), (H)
  bool in_real = false;
};

}  // namespace ringside::norms
