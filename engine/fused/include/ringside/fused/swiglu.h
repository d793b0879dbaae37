// What SwiGLU does element by element, on plain memory.
//
//   y = silu(g) u with silu(g) = g s, s = 1 / (1 + e^-g)
//   dg = dy u s (1 + g (1 - s))     du = dy g s
//
// Shazeer 2020, arXiv:2002.05202. Backward takes s anew from g, so that forward keeps g and u alone. Real:
// float or double. The loops take 64 bytes at once, with the same bits whatever vectors the CPU has. e^x is
// ours, with an error of 2 units in the last place at most.
#pragma once

#include <cstdint>

namespace ringside::fused {

template <typename Real>
struct SwigluForward {
  int64_t count = 0;
  const Real *g, *u;
  Real* y;
};

template <typename Real>
struct SwigluBackward {
  int64_t count = 0;
  const Real *g, *u, *dy;
  Real *dg, *du;
};

template <typename Real>
void run(const SwigluForward<Real>& call);
template <typename Real>
void run(const SwigluBackward<Real>& call);

}  // namespace ringside::fused
