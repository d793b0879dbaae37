// Layer norm on plain memory: each of M rows is normalised over its own H features.
//
//   m = mean(x)   v = mean((x - m)^2)   s = 1 / sqrt(v + eps)   u = (x - m) s   y = w u + b
//   dx = (g - mean(g) - u mean(g u)) s with g = w dy     dw = sum(dy u)     db = sum(dy)
//
// Means are over the features of a row, the two sums over rows. Ba, Kiros, Hinton 2016, arXiv:1607.06450.
//
// Results are computed in fp64 and rounded once, to Real (float or double). Mean and variance take one pass,
// about the row's first number p:
//
//   m = p + mean(x - p)   v = mean((x - p)^2) - (m - p)^2
//
// One of H numbers is never farther than sqrt((H - 1) v) from their mean, so that the difference loses log2 H
// bits of 53 at most; the naive p = 0 loses any number of them. In backward mean(g) and mean(g u) are summed
// in Real, of fewer than 64 features in fp64. The terms above are taken as
//
//   u = x s - m s   dx = w (dy s) - u s mean(g u) - s mean(g)
//
// which are fewer operations on vectors. A product that is added to a sum is not rounded before (fma),
// whatever the CPU: one from before 2013 has a function of the C library for it, and is slow. y and dx
// of 6 MiB or more are written past the caches where that is faster (over_rows.h).
//
// in_real, for results that are rounded to bf16: rows' sums stay fp64, but u, y, dx and the terms of dw and
// db are Real, of 64 features or more. y is then off by at most 4 units in the last place of the larger of w
// u and b: u = (x - near) s + (near - m) s, where near is m rounded. dw and db are summed in Real over 32
// rows each, these in fp64 (order.h).
#pragma once

#include <cstdint>

namespace ringside::norms {

// Both are contiguous, row by row. mean, scale: (M), which backward reads: m and s.
struct Rows {
  int64_t count = 0, width = 0;  // M, H
};

template <typename Real>
struct LayerNormForward {
  Rows rows;
  double eps = 0;
  const Real *x, *weight, *bias;  // (M, H), (H), (H)
  Real* y;                        // (M, H)
  double *mean, *scale;           // (M), (M)
  bool in_real = false;
};

template <typename Real>
struct LayerNormBackward {
  Rows rows;
  const Real *x, *weight;      // as in forward
  const double *mean, *scale;  // what forward left
  const Real* dy;              // (M, H)
  Real *dx, *dw, *db;          // (M, H), (H), (H); none overlaps another
  bool in_real = false;
};

// One of these, or of rms_norm.h, in float or double.
template <typename Call>
void run(const Call& call);

}  // namespace ringside::norms
