// The classifier's norms. NormLayer (planner/classifier_layers.h) says which of them a layer is. Those whose
// statistics span tokens stand in nn/set_norm.h and nn/batch_norm.h; the ones here normalise every position
// over its own features, whatever else is in the batch. x: (..., H), weight, bias: (H) -> as x
//
// Norms compute on plain memory (norms/), as one node of the graph: forward keeps x and two numbers a
// position. A bf16 tensor is computed in fp32. Every result is rounded once, to the type of what it belongs
// to.
#pragma once

#include <ATen/ATen.h>

#include "ringside/nn/model.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside::inline nn {

// What norms take in and put out, whatever the model's type: fp32, and fp64 where x is fp64.
at::Tensor widened(const at::Tensor& t);
at::Tensor plain(const at::Tensor& t);  // the same, row by row

// y = w * x / sqrt(mean(x^2) + eps), computed in fp32 by LibTorch's operations, as Hugging Face's models have
// it. Zhang, Sennrich 2019, arXiv:1910.07467.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

// The same as one node: norms/rms_norm.h has the equations. Other bits, by rounding.
at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

// norms/layer_norm.h has the equations.
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps);

// context.token_mask: which positions count, for norms that span tokens; the others put out 0 there.
at::Tensor output_of(const NormLayer& layer, const Leaves& leaves, const Buffers& buffers,
                     const at::Tensor& x, const Context& context);

}  // namespace ringside::inline nn
