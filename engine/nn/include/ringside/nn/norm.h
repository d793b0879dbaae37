// The classifier's norms: every position is normalised over its own features, whatever else is in the batch.
// NormLayer (planner/classifier_layers.h) says which of them a layer is. x: (..., H), weight, bias: (H) -> as
// x
#pragma once

#include <ATen/ATen.h>

#include "ringside/nn/parameters.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside {

// What norms compute in, whatever the model's type: fp32, and fp64 where x is fp64.
at::Tensor widened(const at::Tensor& t);

// y = w * x / sqrt(mean(x^2) + eps), computed in fp32. Zhang, Sennrich 2019, arXiv:1910.07467.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

//   m = mean(x)   v = mean((x - m)^2)   u = (x - m) / sqrt(v + eps)   y = w u + b
//   dx = (g - mean(g) - u mean(g u)) / sqrt(v + eps) with g = w dy    dw = sum(dy u)    db = sum(dy)
//
// Means are over H, the two sums over positions. Ba, Kiros, Hinton 2016, arXiv:1607.06450. Computed in the
// widened type; every result is rounded once, to the type of what it belongs to.
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps);

at::Tensor output_of(const NormLayer& layer, const ParameterSet& set, const at::Tensor& x);

}  // namespace ringside
