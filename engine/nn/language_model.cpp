#include "ringside/nn/language_model.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "ringside/nn/classifier.h"
#include "ringside/nn/language_tasks.h"
#include "ringside/nn/layers.h"
#include "ringside/nn/losses.h"
#include "ringside/nn/norm.h"

namespace ringside::inline nn {

LanguageModel::LanguageModel(const ClassifierConfig& of, std::vector<at::Tensor> whole)
    : config(of), weights(std::move(whole)) {
  Declaration declaration;
  layers.declare(declaration, config);
}

ModelOutput output_of(const LanguageModel& model, const Batch& batch, const WantedOutputs& wanted) {
  Classifier classifier(model.config, batch.tokens.size(1));
  classifier.parameters().leaves = model.weights;
  Context context;
  context.wanted = wanted;
  return classifier.forward(batch, context);
}

at::Tensor token_losses(const LanguageModel& model, const Batch& batch) {
  return -token_log_probabilities(output_of(model, batch).logits, batch.tokens)
              .masked_select(batch.beside[0].ne(0));
}

double mean_loss(const LanguageModel& model, const Batch& batch) {
  const at::NoGradGuard no_grad;
  return -(masked_logp(output_of(model, batch).logits, batch).sum() / batch.beside[0].sum()).item<double>();
}

double mean_divergence(const LanguageModel& before, const LanguageModel& after, const Batch& batch) {
  const at::NoGradGuard no_grad;
  const auto logp = [&](const LanguageModel& model) {  // (B, T-1, V)
    return at::log_softmax(output_of(model, batch).logits, 2).slice(1, 0, -1);
  };
  const at::Tensor p = logp(before), each = (p.exp() * (p - logp(after))).sum(2);  // (B, T-1)
  return ((each * batch.beside[0]).sum() / batch.beside[0].sum()).item<double>();
}

double relative_change(const std::vector<at::Tensor>& before, const std::vector<at::Tensor>& after) {
  const at::Tensor b = joined(before);
  return ((joined(after) - b).norm() / b.norm()).item<double>();
}

double changed_in_bf16(const std::vector<at::Tensor>& before, const std::vector<at::Tensor>& after) {
  const auto rounded = [](const std::vector<at::Tensor>& of) { return joined(of).to(at::kBFloat16); };
  return rounded(before).ne(rounded(after)).to(at::kFloat).mean().item<double>();
}

double attention_to_first(const LanguageModel& model, const Batch& batch) {
  const at::NoGradGuard no_grad;
  double most = 0;
  for (const at::Tensor& each : output_of(model, batch, {.attentions = true}).attentions) {  // (B, A, T, T)
    const at::Tensor paid = each.slice(2, each.size(2) / 2).select(3, 0).mean(at::IntArrayRef{0, 2});  // (A)
    most = std::max(most, paid.max().item<double>());
  }
  return most;
}

QueriesAndKeys first_queries_and_keys(const LanguageModel& model, const at::Tensor& tokens, int64_t head) {
  const at::NoGradGuard no_grad;
  const Leaves leaves = leaves_of(model.weights);
  const Leaves wide = [&](Parameter p) {
    const at::Tensor leaf = leaves(p);
    return leaf.defined() ? leaf.to(at::kDouble) : leaf;
  };
  const ClassifierConfig& config = model.config;
  const DecoderLayer& layer = model.layers.decoder.at(0);
  const at::Tensor read = embedded(model.layers, wide, tokens.unsqueeze(0), 0);  // (1, T, H)
  const at::Tensor x = output_of(layer.attention_norm, wide, Buffers(), read, {});
  const RotaryTable rotary = rotary_table_of(config, tokens.size(0));
  const auto part = [&](const at::Tensor& weight, const at::Tensor& bias, int64_t of) {  // (T, D)
    const int64_t D = config.head_size();
    const at::Tensor own = at::linear(x, weight, bias).narrow(2, of * D, D);
    return apply_rotary(own.unsqueeze(1), rotary)[0][0];
  };
  const AttentionWeights weights = weights_of(layer.attention, wide);
  return {part(weights.q, weights.q_bias, head),
          part(weights.k, weights.k_bias, head * config.kv_heads / config.heads)};
}

}  // namespace ringside::inline nn
