// Layer norm: every position is normalised over its own features, whatever else is in the batch.
//
//   m = mean(x)   v = mean((x - m)^2)   u = (x - m) / sqrt(v + eps)   y = w u + b
//   dx = (g - mean(g) - u mean(g u)) / sqrt(v + eps) with g = w dy    dw = sum(dy u)    db = sum(dy)
//
// Means are over H, the two sums over positions. Ba, Kiros, Hinton 2016, arXiv:1607.06450. Computed in fp32,
// and in fp64 where x is fp64; every result is rounded once, to the type of what it belongs to.
#pragma once

#include <ATen/ATen.h>

namespace ringside {

// x: (..., H), weight, bias: (H) -> as x
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps);

}  // namespace ringside
