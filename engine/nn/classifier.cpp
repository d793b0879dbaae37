#include "ringside/nn/classifier.h"

#include <c10/core/GradMode.h>

#include "ringside/nn/product.h"

namespace ringside {
namespace {

constexpr int kLayerParameters = 12;  // tensors of one decoder layer, in the order of classifier_shapes

}  // namespace

Classifier::Classifier(const ClassifierConfig& config, int64_t max_tokens) : config_(config) {
  parameters_.shapes = classifier_shapes(config);
  parameters_.leaves.resize(parameters_.shapes.size());
  parameters_.units = config.units();
  for (int unit = 0; unit < parameters_.units; ++unit) {
    parameters_.unit_names.push_back(unit_name(unit, config.layers));
  }
  MemoryScope scope(Category::kBuffers, "", "rotary table and causal mask");
  rotary_ = make_rotary_table(max_tokens, config.head_size(), config.rope_theta);
  mask_ = make_causal_mask(max_tokens);
}

ModelOutput Classifier::forward(const Batch& batch, const Context& context) {
  UnitHooks nobody;
  UnitHooks& hooks = context.hooks != nullptr ? *context.hooks : nobody;
  const WantedOutputs wanted = context.wanted;
  const auto through = [&](int unit, auto&& compute) {
    hooks.before_forward(unit);
    MemoryScope scope(Category::kActivations, parameters_.unit_names[static_cast<size_t>(unit)]);
    return hooks.after_forward(unit, compute());
  };
  ModelOutput output;
  at::Tensor x = through(0, [&] { return embed(batch.tokens); });
  for (int64_t i = 0; i < config_.layers; ++i) {
    if (wanted.hidden_states) output.hidden_states.push_back(x);
    at::Tensor* attention = wanted.attentions ? &output.attentions.emplace_back() : nullptr;
    x = through(static_cast<int>(i) + 1, [&] { return layer(i, x, attention); });
  }
  output.logits = through(config_.units() - 1, [&] {
    if (wanted.hidden_states) output.hidden_states.push_back(final_hidden_state(x));
    return head(x, batch.last);
  });
  return output;
}

MemoryScope Classifier::as_hidden_state(int unit) const {
  return MemoryScope(Category::kActivations, parameters_.unit_names[static_cast<size_t>(unit)],
                     "hidden states");
}

at::Tensor Classifier::embed(const at::Tensor& tokens) const {
  const MemoryScope scope = as_hidden_state(0);
  return at::embedding(parameters_.leaves[0], tokens);
}

at::Tensor Classifier::layer(int64_t index, const at::Tensor& x, at::Tensor* attention) const {
  const at::Tensor* p = &parameters_.leaves[static_cast<size_t>(1 + index * kLayerParameters)];
  const AttentionWeights weights{p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
  const at::Tensor h = x + grouped_query_attention(rms_norm(x, p[0], config_.rms_eps), weights, config_,
                                                   rotary_, mask_, attention);
  const at::Tensor raised = swiglu(rms_norm(h, p[8], config_.rms_eps), p[9], p[10], p[11]);
  const MemoryScope scope = as_hidden_state(static_cast<int>(index) + 1);
  return h + raised;
}

at::Tensor Classifier::head(const at::Tensor& x, const at::Tensor& last) const {
  const at::Tensor* p = &parameters_.leaves[static_cast<size_t>(1 + config_.layers * kLayerParameters)];
  // The norm works row by row, so only the pooled row is normalised.
  const at::Tensor pooled = x.index({at::arange(x.size(0)), last});  // (B, H)
  const at::Tensor bias = config_.head_bias ? p[2] : at::Tensor();
  return linear_product(rms_norm(pooled, p[0], config_.rms_eps), p[1], bias).to(at::kFloat);
}

at::Tensor Classifier::final_hidden_state(const at::Tensor& x) const {
  const at::NoGradGuard no_grad;
  const MemoryScope scope = as_hidden_state(config_.units() - 1);
  const auto norm = static_cast<size_t>(1 + config_.layers * kLayerParameters);
  return rms_norm(x, parameters_.leaves[norm], config_.rms_eps);
}

}  // namespace ringside
