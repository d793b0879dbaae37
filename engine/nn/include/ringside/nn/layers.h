// The pieces of the classifier, as functions: parameters come in, nothing is kept. Beside each the same for a
// declared layer (planner/classifier_layers.h), which finds its tensors in the set.
// Shapes: B batch, T sequence, H hidden, A heads, D = H/A, Akv key/value heads, I intermediate.
#pragma once

#include <ATen/ATen.h>

#include "ringside/nn/batch.h"
#include "ringside/nn/parameters.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside::inline nn {

// Rotary position embedding: pairs (x_i, x_{i+D/2}) turn by position * theta^(-2i/D).
// Su et al. 2021, arXiv:2104.09864.
struct RotaryTable {
  at::Tensor cos, sin;  // (T, D), fp32
};
// A scale below 1 interpolates: more positions than were trained lie in the range of those that were. Chen et
// al. 2023, arXiv:2306.15595.
RotaryTable make_rotary_table(int64_t positions, int64_t head_size, double theta, double scale = 1);
RotaryTable rotary_table_of(const ClassifierConfig& config, int64_t positions);  // learned ones turn nothing
at::Tensor apply_rotary(const at::Tensor& x, const RotaryTable& table);          // x: (B, A, T, D)

// Scores above the diagonal are -inf, so that a token sees itself and those before it.
at::Tensor make_causal_mask(int64_t positions);  // (T, T), fp32
// Of rows padded on the left: scores of the padding are -inf too, so that no token sees it; padding sees
// itself alone. mask: (T, T); first: (B), position of the first real token -> (B, 1, T, T)
at::Tensor hide_padding(const at::Tensor& mask, const at::Tensor& first);

// What the first layer reads: (B, n) tokens that stand behind `before` others -> (B, n, H). first: where a
// row begins, if not at 0.
at::Tensor embedded(const ClassifierLayers& layers, const Leaves& leaves, const at::Tensor& tokens,
                    int64_t before, const at::Tensor& first = {});

struct AttentionWeights {
  at::Tensor q, q_bias;        // (H, H), (H)
  at::Tensor k, k_bias;        // (Akv D, H), (Akv D)
  at::Tensor v, v_bias;        // (Akv D, H), (Akv D)
  at::Tensor o;                // (H, H)
  UnitHooks* hooks = nullptr;  // config.fused: whom fused_linear asks, or nobody
};
AttentionWeights weights_of(const AttentionLayer& layer, const Leaves& leaves);

// softmax(q k^T / sqrt(D) + mask) v, mask (T, T) or (B, 1, T, T), with each key/value head shared by A/Akv
// query heads. How many there are is taken from the weights: all, or those of one place of "tp". Vaswani et
// al. 2017, arXiv:1706.03762; Ainslie et al. 2023, arXiv:2305.13245. The softmax itself, (B, A, T, T), is
// left in `probabilities` where one is given. config.fused: what stands between the products is one node
// (nn/fused.h).
at::Tensor grouped_query_attention(const at::Tensor& x, const AttentionWeights& weights,  // x: (B, T, H)
                                   const ClassifierConfig& config, const RotaryTable& table,
                                   const at::Tensor& mask, at::Tensor* probabilities = nullptr,
                                   const Packing& packing = {});  // its rows: (R, H) -> (R, H) or (B, H)

// down( silu(gate x) * up x ). Shazeer 2020, arXiv:2002.05202.
at::Tensor swiglu(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& up, const at::Tensor& down);
// hooks: as above, of layer.fused
at::Tensor output_of(const SwigluLayer& layer, const Leaves& leaves, const at::Tensor& x,
                     UnitHooks* hooks = nullptr);

// x W^T + b
at::Tensor output_of(const LinearLayer& layer, const Leaves& leaves, const at::Tensor& x);

}  // namespace ringside::inline nn
