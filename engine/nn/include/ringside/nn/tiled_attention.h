// Exact attention without a matrix of scores. It works tile by tile, with a softmax whose maximum and sum are
// corrected as further tiles come (Milakov, Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022,
// arXiv:2205.14135). For a tile of queries Q_i and each tile of keys K_j that it sees, d the width of a head:
//
//   S = Q_i K_j^T / sqrt(d)    m' = max(m, rowmax S)    P = exp(S - m')
//   l = l exp(m - m') + rowsum P    O = O exp(m - m') + P V_j    in the end  O_i = O / l,  L_i = m + log l
//
// Backward computes P = exp(S - L_i) again, and D_i = rowsum(dO_i O_i):
//
//   dV_j += P^T dO_i    dS = P (dO_i V_j^T - D_i) / sqrt(d)    dQ_i += dS K_j    dK_j += dS^T Q_i
//
// Kept for backward: Q, K, V, O and L, so that bytes grow with T and not with T^2. The products are as many
// as with all scores in memory, forward, and 5 instead of 4 backward.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace ringside::inline nn {

struct TiledAttention {
  int64_t tile = 128;  // queries, and keys, of a tile
  bool causal = true;
  int64_t window = 0;  // a query sees so many tokens, itself the last of them (causal); 0: all
};

// q, k, v: (B, A, T, d), fp32 or fp64 -> (B, A, T, d). UsageError for a window without the causal mask.
at::Tensor tiled_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const TiledAttention& how);
// The same with all scores in memory, (B, A, T, T), by LibTorch's operations; how.tile is not looked at.
at::Tensor attention_with_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 const TiledAttention& how = {});

}  // namespace ringside::inline nn
