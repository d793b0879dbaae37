#include "ringside/nn/classifier.h"

#include <c10/core/GradMode.h>

#include "ringside/nn/recompute.h"

namespace ringside {

Classifier::Classifier(const ClassifierConfig& config, int64_t max_tokens) : config_(config) {
  Declaration declaration;
  layers_.declare(declaration, config);
  parameters_ = ParameterSet::of(declaration);
  buffers_ = Buffers(declaration.buffers());
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
  const auto compute_layer = [&](int64_t i, const at::Tensor& x, at::Tensor* attention) {
    return context.recompute ? recomputed_layer(i, x, attention, context.hooks) : layer(i, x, attention);
  };
  ModelOutput output;
  at::Tensor x = through(0, [&] { return embed(batch.tokens); });
  for (int64_t i = 0; i < config_.layers; ++i) {
    if (wanted.hidden_states) output.hidden_states.push_back(x);
    at::Tensor* attention = wanted.attentions ? &output.attentions.emplace_back() : nullptr;
    x = through(static_cast<int>(i) + 1, [&] { return compute_layer(i, x, attention); });
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
  return at::embedding(parameters_[layers_.embedding], tokens);
}

at::Tensor Classifier::layer(int64_t index, const at::Tensor& x, at::Tensor* attention) const {
  const DecoderLayer& own = layers_.decoder[static_cast<size_t>(index)];
  const AttentionWeights weights = weights_of(own.attention, parameters_);
  const at::Tensor h = x + grouped_query_attention(output_of(own.attention_norm, parameters_, x), weights,
                                                   config_, rotary_, mask_, attention);
  const std::string& unit = parameters_.unit_names[static_cast<size_t>(index) + 1];
  if (attention != nullptr) book_as(*attention, Category::kActivations, unit, "attentions");
  const at::Tensor raised = output_of(own.mlp, parameters_, output_of(own.mlp_norm, parameters_, h));
  const MemoryScope scope = as_hidden_state(static_cast<int>(index) + 1);
  return h + raised;
}

at::Tensor Classifier::recomputed_layer(int64_t index, const at::Tensor& x, at::Tensor* attention,
                                        UnitHooks* hooks) const {
  const int unit = static_cast<int>(index) + 1;
  return forward_of_recomputed(x, [=, this](const at::Tensor& input, bool again) {
    if (!again) return layer(index, input, attention);
    const MemoryScope scope(Category::kActivations, parameters_.unit_names[static_cast<size_t>(unit)]);
    if (hooks != nullptr) hooks->before_recompute(unit);
    at::Tensor output = layer(index, input, nullptr);
    if (hooks != nullptr) hooks->after_recompute(unit);
    return output;
  });
}

at::Tensor Classifier::head(const at::Tensor& x, const at::Tensor& last) const {
  // The norm works row by row, so only the pooled row is normalised.
  const at::Tensor pooled = x.index({at::arange(x.size(0)), last});  // (B, H)
  return output_of(layers_.score, parameters_, output_of(layers_.norm, parameters_, pooled)).to(at::kFloat);
}

at::Tensor Classifier::final_hidden_state(const at::Tensor& x) const {
  const at::NoGradGuard no_grad;
  const MemoryScope scope = as_hidden_state(config_.units() - 1);
  return output_of(layers_.norm, parameters_, x);
}

}  // namespace ringside
