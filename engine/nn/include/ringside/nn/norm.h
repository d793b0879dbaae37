// The classifier's norms. NormLayer (planner/classifier_layers.h) says which of them a layer is.
#pragma once

#include <ATen/ATen.h>

#include "ringside/nn/parameters.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside {

// y = w * x / sqrt(mean(x^2) + eps), computed in fp32. Zhang, Sennrich 2019, arXiv:1910.07467.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);  // x: (..., H), weight: (H)

at::Tensor output_of(const NormLayer& layer, const ParameterSet& set, const at::Tensor& x);  // x: (..., H)

}  // namespace ringside
