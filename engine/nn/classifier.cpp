#include "ringside/nn/classifier.h"

#include <c10/core/GradMode.h>

#include "ringside/base/check.h"
#include "ringside/nn/batch_norm.h"
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

ModelOutput Classifier::forward(const Batch& batch, const Context& asked) {
  Context context = asked;
  if (!spans_tokens(config_.norm) || !config_.norm_mask)
    context.token_mask.reset();
  else if (!context.token_mask.defined())
    context.token_mask = token_mask(batch);
  UnitHooks nobody;
  UnitHooks& hooks = context.hooks != nullptr ? *context.hooks : nobody;
  const WantedOutputs wanted = context.wanted;
  const auto through = [&](int unit, auto&& compute) {
    hooks.before_forward(unit);
    MemoryScope scope(Category::kActivations, parameters_.unit_names[static_cast<size_t>(unit)]);
    return hooks.after_forward(unit, compute());
  };
  const auto compute_layer = [&](int64_t i, const at::Tensor& x, at::Tensor* attention) {
    return context.recompute ? recomputed_layer(i, x, attention, context) : layer(i, x, attention, context);
  };
  ModelOutput output;
  at::Tensor x = through(0, [&] { return embed(batch.tokens); });
  for (int64_t i = 0; i < config_.layers; ++i) {
    if (wanted.hidden_states) output.hidden_states.push_back(x);
    at::Tensor* attention = wanted.attentions ? &output.attentions.emplace_back() : nullptr;
    x = through(static_cast<int>(i) + 1, [&] { return compute_layer(i, x, attention); });
  }
  output.logits = through(config_.units() - 1, [&] {
    return head(x, batch.last, wanted.hidden_states ? &output.hidden_states.emplace_back() : nullptr,
                context);
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

at::Tensor Classifier::normalised(const NormLayer& norm, const at::Tensor& x, const Context& context) const {
  return output_of(norm, parameters_, buffers_, x, context);
}

at::Tensor Classifier::layer(int64_t index, const at::Tensor& x, at::Tensor* attention,
                             const Context& context) const {
  const DecoderLayer& own = layers_.decoder[static_cast<size_t>(index)];
  const bool before = config_.where == NormPlace::kPre;
  const AttentionWeights weights = weights_of(own.attention, parameters_);
  const auto attend = [&](const at::Tensor& t) {
    return grouped_query_attention(t, weights, config_, rotary_, mask_, attention);
  };
  const at::Tensor h = before ? x + attend(normalised(own.attention_norm, x, context))
                              : normalised(own.attention_norm, x + attend(x), context);
  const std::string& unit = parameters_.unit_names[static_cast<size_t>(index) + 1];
  if (attention != nullptr) book_as(*attention, Category::kActivations, unit, "attentions");
  const at::Tensor raised =
      output_of(own.mlp, parameters_, before ? normalised(own.mlp_norm, h, context) : h);
  const MemoryScope scope = as_hidden_state(static_cast<int>(index) + 1);
  return before ? h + raised : normalised(own.mlp_norm, h + raised, context);
}

at::Tensor Classifier::recomputed_layer(int64_t index, const at::Tensor& x, at::Tensor* attention,
                                        const Context& context) const {
  const int unit = static_cast<int>(index) + 1;
  const auto kept = std::make_shared<KeptStatistics>();
  return forward_of_recomputed(x, [=, this](const at::Tensor& input, bool again) {
    Context own = context;
    own.kept = kept.get();
    if (!again) return layer(index, input, attention, own);
    kept->again = true, kept->used = 0;
    const MemoryScope scope(Category::kActivations, parameters_.unit_names[static_cast<size_t>(unit)]);
    if (context.hooks != nullptr) context.hooks->before_recompute(unit);
    at::Tensor output = layer(index, input, nullptr, own);
    if (context.hooks != nullptr) context.hooks->after_recompute(unit);
    return output;
  });
}

at::Tensor Classifier::head(const at::Tensor& x, const at::Tensor& last, at::Tensor* hidden_state,
                            const Context& context) const {
  const auto pooled = [&](const at::Tensor& t) { return t.index({at::arange(t.size(0)), last}); };  // (B, H)
  const auto score = [&](const at::Tensor& t) {
    return output_of(layers_.score, parameters_, t).to(at::kFloat);
  };
  if (spans_tokens(config_.norm)) {
    const at::Tensor normed = normalised(layers_.norm, x, context);
    if (hidden_state != nullptr) *hidden_state = normed.detach();
    return score(pooled(normed));
  }
  // The norm works row by row, so only the pooled row is normalised.
  if (hidden_state != nullptr) {
    const at::NoGradGuard no_grad;
    const MemoryScope scope = as_hidden_state(config_.units() - 1);
    *hidden_state = normalised(layers_.norm, x, context);
  }
  return score(normalised(layers_.norm, pooled(x), context));
}

}  // namespace ringside
