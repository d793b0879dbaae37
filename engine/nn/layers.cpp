#include "ringside/nn/layers.h"

#include <cmath>
#include <limits>

#include "ringside/nn/fused.h"
#include "ringside/nn/product.h"

// Every product that may be computed before or after another is a statement of its own, in the order
// of transformers' modeling_qwen2.py (q, k, v; gate, up): C++ leaves the order of operands open, and
// backward runs through them in reverse, which decides when each gradient is ready.
namespace ringside::inline nn {

RotaryTable make_rotary_table(int64_t positions, int64_t head_size, double theta, double scale) {
  const at::Tensor exponent = at::arange(0, head_size, 2, at::kFloat) / double(head_size);
  const at::Tensor frequency = at::pow(theta, -exponent);                              // (D/2)
  const at::Tensor position = at::arange(positions, at::kFloat).unsqueeze(1) * scale;  // (T, 1)
  const at::Tensor angle = position * frequency;                                       // (T, D/2)
  const at::Tensor both = at::cat({angle, angle}, -1);                                 // (T, D)
  return {both.cos(), both.sin()};
}

RotaryTable rotary_table_of(const ClassifierConfig& config, int64_t positions) {
  const double scale = config.learned_positions > 0 ? 0 : config.rope_scale;
  return make_rotary_table(positions, config.head_size(), config.rope_theta, scale);
}

at::Tensor apply_rotary(const at::Tensor& x, const RotaryTable& table) {
  const int64_t length = x.size(2), half = x.size(3) / 2;
  const at::Tensor cos = table.cos.narrow(0, 0, length).to(x.scalar_type());
  const at::Tensor sin = table.sin.narrow(0, 0, length).to(x.scalar_type());
  const at::Tensor kept = x * cos;
  const at::Tensor turned = at::cat({-x.narrow(3, half, half), x.narrow(3, 0, half)}, -1) * sin;
  return kept + turned;
}

at::Tensor embedded(const ClassifierLayers& layers, const Leaves& leaves, const at::Tensor& tokens,
                    int64_t before, const at::Tensor& first) {
  const at::Tensor x = at::embedding(leaves(layers.embedding), tokens), positions = leaves(layers.positions);
  if (!positions.defined()) return x;
  if (!first.defined()) return x + positions.narrow(0, before, tokens.size(1));
  const at::Tensor places = at::arange(before, before + tokens.size(1), first.options()) - first.unsqueeze(1);
  return x + at::embedding(positions, places.clamp_min(0));
}

at::Tensor make_causal_mask(int64_t positions) {
  return at::full({positions, positions}, -std::numeric_limits<float>::infinity(), at::kFloat).triu(1);
}

at::Tensor hide_padding(const at::Tensor& mask, const at::Tensor& first) {
  const at::Tensor key = at::arange(mask.size(0), first.options());
  const at::Tensor padding = key.lt(first.unsqueeze(1)).view({-1, 1, 1, mask.size(0)});  // of the keys
  const at::Tensor another = key.unsqueeze(0).ne(key.unsqueeze(1));                      // (T, T)
  return mask.masked_fill(padding.logical_and(another), -std::numeric_limits<float>::infinity());
}

at::Tensor grouped_query_attention(const at::Tensor& x, const AttentionWeights& weights,
                                   const ClassifierConfig& config, const RotaryTable& table,
                                   const at::Tensor& mask, at::Tensor* probabilities,
                                   const Packing& packing) {
  const int64_t batch = x.size(0), length = x.size(1), head_size = config.head_size();
  const int64_t heads = weights.q.size(0) / head_size, kv_heads = weights.k.size(0) / head_size;
  const auto split = [&](const at::Tensor& projected, int64_t count) {  // (B, T, A D) -> (B, A, T, D)
    return projected.view({batch, length, count, head_size}).transpose(1, 2);
  };
  const int64_t share = heads / kv_heads;
  const auto repeat = [&](const at::Tensor& t) {  // (B, Akv, T, D) -> (B, A, T, D)
    return t.unsqueeze(2)
        .expand({batch, kv_heads, share, length, head_size})
        .reshape({batch, heads, length, head_size});
  };
  if (config.fused && has_fused_loops(x)) {
    UnitHooks* const hooks = weights.hooks;
    const at::Tensor q = fused_linear(x, weights.q, weights.q_bias, hooks);
    const at::Tensor k = fused_linear(x, weights.k, weights.k_bias, hooks);
    const at::Tensor v = fused_linear(x, weights.v, weights.v_bias, hooks);
    const at::Tensor mixed = fused_attention(q, k, v, {head_size, table, mask, probabilities, packing});
    return fused_linear(packing.read_of(mixed), weights.o, {}, hooks);
  }
  at::Tensor q = split(linear_product(x, weights.q, weights.q_bias), heads);
  at::Tensor k = split(linear_product(x, weights.k, weights.k_bias), kv_heads);
  const at::Tensor v = split(linear_product(x, weights.v, weights.v_bias), kv_heads);
  q = apply_rotary(q, table);
  k = apply_rotary(k, table);

  const double scale = 1.0 / std::sqrt(double(head_size));
  const at::Tensor scores = matrix_product(q, repeat(k).transpose(2, 3)).to(at::kFloat) * scale +
                            mask.narrow(-2, 0, length).narrow(-1, 0, length);  // (B, A, T, T)
  const at::Tensor attention = at::softmax(scores, -1).to(x.scalar_type());
  if (probabilities != nullptr) *probabilities = attention;
  const at::Tensor mixed = matrix_product(attention, repeat(v));  // (B, A, T, D)
  return linear_product(mixed.transpose(1, 2).reshape({batch, length, heads * head_size}), weights.o);
}

at::Tensor swiglu(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& up, const at::Tensor& down) {
  const at::Tensor opened = at::silu(linear_product(x, gate));
  const at::Tensor raised = linear_product(x, up);
  return linear_product(opened * raised, down);
}

AttentionWeights weights_of(const AttentionLayer& layer, const Leaves& leaves) {
  return {leaves(layer.q.weight), leaves(layer.q.bias), leaves(layer.k.weight), leaves(layer.k.bias),
          leaves(layer.v.weight), leaves(layer.v.bias), leaves(layer.o.weight)};
}

at::Tensor output_of(const SwigluLayer& layer, const Leaves& leaves, const at::Tensor& x, UnitHooks* hooks) {
  const at::Tensor gate = leaves(layer.gate.weight), up = leaves(layer.up.weight),
                   down = leaves(layer.down.weight);
  if (!layer.fused || !has_fused_loops(x)) return swiglu(x, gate, up, down);
  const at::Tensor g = fused_linear(x, gate, {}, hooks);
  const at::Tensor u = fused_linear(x, up, {}, hooks);
  return fused_linear(fused_swiglu(g, u), down, {}, hooks);
}

at::Tensor output_of(const LinearLayer& layer, const Leaves& leaves, const at::Tensor& x) {
  return linear_product(x, leaves(layer.weight), leaves(layer.bias));
}

}  // namespace ringside::inline nn
