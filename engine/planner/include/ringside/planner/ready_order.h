// The order in which the gradients of a backward pass become ready.
//
// Autograd runs the node that was created last first, so modules come in the reverse order of their use
// in the forward pass, whatever the order in which they were constructed:
//
//   head, final norm, layer L-1 ... layer 0, vision tower, token embedding
//   in a layer:  down, up, gate, norm after attention, o, v, k, q, norm before attention
//   in a block:  MLP (fc2, fc1 or down, up, gate), norm2, proj, qkv, norm1; before the blocks the merger
//                (mlp.2, mlp.0, ln_q), behind them the patches
//   in a linear: bias, weight (the weight is behind a transpose of its own)
//   in a LayerNorm: weight, bias (both are inputs of one node)
//
// A head tied to the embedding shares its gradient, which is ready with the embedding's.
//
// Checked against what torch 2.15.0 and transformers 5.23.0 do, on the CPU, with
// register_post_accumulate_grad_hook: Qwen2, Llama (with and without attention_bias and mlp_bias), Qwen2-VL
// and Qwen2.5-VL with text and images, eager and sdpa attention, fp32, a linear head at the pooled token
// with and without bias: in each case this order, tensor by tensor; with gradient checkpointing of Qwen2,
// both kinds, as well. Of Llama with lm_head, tied and not, in fp32 and bf16, only the number of tensors and
// the first and last three were compared: they are these. tests/planner keeps records of these runs. Not
// checked: the GPU, compiled graphs, other attention kernels, LibTorch 1.13 other than through this project's
// own classifier (tests/nn/ready_order_test.cpp).
#pragma once

#include <string>
#include <vector>

#include "ringside/planner/declaration.h"

namespace ringside::inline planner {

// Indices of the trainable shapes, first ready first. The names decide (model_shapes.h and
// classifier_shapes), not the order of the list. InvariantError for a name that no model here has.
std::vector<int> ready_order(const std::vector<ParameterShape>& shapes);

// Where a parameter belongs, from its name: "head", "final norm", "layer 27", "vision", "embedding".
std::string group_of(const std::string& parameter);

}  // namespace ringside::inline planner
