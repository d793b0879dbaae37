// What a decoder layer computes between its products, as a node of the graph each, on plain memory (fused/):
// ClassifierConfig::fused. LibTorch has ten operations and more for each of them (nn/layers.h), and other
// bits by rounding. They know the host's memory alone: on another device a layer takes LibTorch's operations,
// its fused RMS norm (nn/norm.h) excepted. A bf16 tensor is computed in fp32, and what is put out or kept is
// rounded once. There is no second derivative.
#pragma once

#include <ATen/ATen.h>

#include "ringside/nn/layers.h"

namespace ringside::inline nn {

bool has_fused_loops(const at::Tensor& x);  // it is in the host's memory

// x W^T + bias. Backward computes dW = dY^T X where it is kept, if `hooks` say that nothing was added
// there (nn/parameters.h); then no copy of it is made, and none is added. bf16: linear_product.
// x: (..., I), weight: (O, I), bias: (O) or undefined -> (..., O). hooks, or null, outlive backward.
at::Tensor fused_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        UnitHooks* hooks);

// silu(gate) * up. fused/swiglu.h has the equations; kept are gate and up.
at::Tensor fused_swiglu(const at::Tensor& gate, const at::Tensor& up);

// All of attention between its projections (grouped_query_attention): heads apart and q, k turned
// (fused/heads.h), scores, mask and softmax (fused/softmax.h), values added up, heads together. Query heads
// that share a key/value head are rows of one product, so that none is repeated:
//
//   P = softmax(Q K^T / sqrt(D) + mask)   O = P V         Q, O: (B Akv, A/Akv T, D)   K, V: (B Akv, T, D)
//   dV = P^T dO   dP = dO V^T   dQ = dS K   dK = dS^T Q    dS: backward of the softmax
//
// Kept are Q and K as they are turned, V and P. Where padding is left out, Q, K, V and dO are 0 there: what
// the mask hides of it adds 0, and so do its own rows, whose gradients are 0.
struct FusedAttention {
  int64_t head_size = 0;  // D
  RotaryTable table;
  at::Tensor mask;                      // (T, T) or (B, 1, T, T), fp32; it may have more positions
  at::Tensor* probabilities = nullptr;  // where P goes as (B, A, T, T), without a graph
  Packing packing{};                    // of q, k, v and what is put out: they are (R, A D)
};
at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,  // (B, T, A D)
                           const FusedAttention& how);                                     // -> (B, T, A D)

}  // namespace ringside::inline nn
