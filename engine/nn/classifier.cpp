#include "ringside/nn/classifier.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/nn/batch_norm.h"
#include "ringside/nn/recompute.h"
#include "ringside/tensor/where.h"

namespace ringside::inline nn {

Classifier::Classifier(const ClassifierConfig& config, int64_t max_tokens, const TensorParallel& tp,
                       at::Device device, const ModelPlace& place)
    : config_(config), tp_(tp) {
  Declaration declaration;
  layers_.declare(declaration, config);
  parameters_ = ParameterSet::of(declaration, place.empty() ? tp.place() : place);
  parameters_.device = device;
  buffers_ = Buffers(declaration.buffers(), device);
  RINGSIDE_CHECK(!tp.sequence() || !spans_tokens(config.norm), "a norm that spans tokens needs all of them");
  RINGSIDE_CHECK(!config.packed || (tp.places() == 1 && device.is_cpu()), "packed rows, not cut, on a CPU");
  MemoryScope scope(Category::kBuffers, "", "rotary table and causal mask");
  const int64_t positions = tp_.padded_tokens(max_tokens);
  if (config.learned_positions > 0 && (tp.places() > 1 || positions > config.learned_positions))
    throw UsageError("learned positions need one for each of " + std::to_string(positions) +
                     " tokens, and layers that are not cut");
  const RotaryTable rotary = rotary_table_of(config, positions);
  rotary_ = {rotary.cos.to(device), rotary.sin.to(device)};
  mask_ = (config.causal ? make_causal_mask(positions) : at::zeros({positions, positions})).to(device);
}

ModelOutput Classifier::forward(const Batch& batch, const Context& asked) {
  Context context = asked;
  if (!spans_tokens(config_.norm) || !config_.norm_mask)
    context.token_mask.reset();
  else if (!context.token_mask.defined())
    context.token_mask = token_mask(batch);
  if (batch.first.defined()) {
    const MemoryScope scope(Category::kActivations);
    const int64_t tokens = tp_.padded_tokens(batch.tokens.size(1));
    context.mask = hide_padding(mask_.narrow(0, 0, tokens).narrow(1, 0, tokens), batch.first);
  }
  if (config_.packed) {
    if (context.wanted.hidden_states)
      throw UsageError("packed=on: not every token has hidden states; packed=off computes them");
    const MemoryScope scope(Category::kActivations);
    context.packing = without_padding(batch);
  }
  UnitHooks nobody;
  UnitHooks& hooks = context.hooks != nullptr ? *context.hooks : nobody;
  const WantedOutputs wanted = context.wanted;
  const auto through = [&](int unit, auto&& compute) {
    hooks.before_forward(unit);
    const MemoryScope scope(Category::kActivations, region(unit).unit);
    return hooks.after_forward(unit, compute());
  };
  const auto compute_layer = [&](int64_t i, const at::Tensor& x, at::Tensor* attention) {
    return context.recompute ? recomputed_layer(i, x, attention, context) : layer(i, x, attention, context);
  };
  const UnitRange units = context.units.value_or(UnitRange{0, config_.units()});
  const int head_unit = config_.units() - 1;
  ModelOutput output;
  at::Tensor x = units.begin == 0 ? through(0, [&] { return embed(batch, context.packing); }) : context.input;
  for (int unit = std::max(units.begin, 1); unit < std::min(units.end, head_unit); ++unit) {
    if (wanted.hidden_states) output.hidden_states.push_back(x);
    at::Tensor* attention = wanted.attentions ? &output.attentions.emplace_back() : nullptr;
    x = through(unit, [&] { return compute_layer(unit - 1, x, attention); });
  }
  if (units.end <= head_unit) {
    output.hidden = x;
    return output;
  }
  const bool is_cut = config_.tied && tp_.places() > 1;
  output.logits = through(head_unit, [&] {
    at::Tensor* const hidden = wanted.hidden_states ? &output.hidden_states.emplace_back() : nullptr;
    return is_cut ? cut_head(x, batch, hidden, context) : head(x, batch, hidden, context);
  });
  if (is_cut) output.cut_over = &tp_;
  return output;
}

at::Tensor Classifier::room_for_input(const Batch& batch) const {
  const int64_t tokens = tp_.padded_tokens(batch.tokens.size(1)) / (tp_.sequence() ? tp_.places() : 1);
  return at::empty({batch.tokens.size(0), tokens, config_.hidden}, parameters_[layers_.norm.weight].options())
      .requires_grad_(false);
}

std::unique_ptr<Model> classifier_at(const ModelSite& site, const ClassifierConfig& config,
                                     int64_t max_tokens, bool sequence) {
  const TensorParallel tp = site.emulated_places > 0
                                ? TensorParallel::emulated(site.emulated_places, sequence)
                                : TensorParallel(site.over(kTensorParallel), sequence);
  return std::make_unique<Classifier>(config, max_tokens, tp, torch_device(site.device), site.place);
}

MemoryScope Classifier::as_hidden_state(int unit) const {
  return MemoryScope(Category::kActivations, region(unit).unit, "hidden states");
}

TensorParallel::Region Classifier::region(int unit) const {
  return {parameters_, parameters_.unit_names[size_t(unit)]};
}

at::Tensor Classifier::embed(const Batch& batch, const Packing& packing) const {
  const at::Tensor tokens =
      packing.rows.defined() ? batch.tokens.flatten().index_select(0, packing.rows) : batch.tokens;
  const MemoryScope scope = as_hidden_state(0);
  if (tp_.places() == 1) return embedded(layers_, parameters_, tokens, 0, batch.first);
  // Vocabulary-parallel: a place knows its own rows, and any other token is 0 there.
  return tp_.sum(region(0), [&](const PartHere& part) {
    const at::Tensor rows = part.leaves(layers_.embedding);
    const at::Tensor own = tp_.padded(batch.tokens) - part.place * rows.size(0);
    const at::Tensor elsewhere = own.lt(0).logical_or(own.ge(rows.size(0)));
    return at::embedding(rows, own.clamp(0, rows.size(0) - 1)).masked_fill(elsewhere.unsqueeze(-1), 0);
  });
}

at::Tensor Classifier::normalised(const NormLayer& norm, int unit, const at::Tensor& x,
                                  const Context& context) const {
  return tp_.by_token(region(unit), x, [&](const at::Tensor& own, const PartHere& part) {
    return output_of(norm, part.leaves, buffers_, own, context);
  });
}

at::Tensor Classifier::without_dropped(const at::Tensor& x, int unit, int which,
                                       const Context& context) const {
  if (config_.dropout == 0 || !context.draws) return x;
  return tp_.by_token(region(unit), x, [&](const at::Tensor& own, const PartHere& part) {
    return dropped_out(own, config_.dropout, *context.draws, 2 * unit + which, part.place * own.size(1));
  });
}

at::Tensor Classifier::layer(int64_t index, const at::Tensor& x, at::Tensor* attention,
                             const Context& context) const {
  const DecoderLayer& own = layers_.decoder[size_t(index)];
  const bool before = config_.where == NormPlace::kPre;
  const int unit = int(index) + 1;
  Packing packing = context.packing;
  if (index + 1 < config_.layers) packing.read.reset();  // the next layer reads all
  const auto attend = [&](const at::Tensor& t) {
    const auto compute = [&](const at::Tensor& all, const PartHere& part) {
      AttentionWeights weights = weights_of(own.attention, part.leaves);
      weights.hooks = context.hooks;
      return grouped_query_attention(all, weights, config_, rotary_,
                                     context.mask.defined() ? context.mask : mask_, attention, packing);
    };
    return without_dropped(tp_.sum_of_parts(region(unit), t, compute), unit, 0, context);
  };
  const auto raise = [&](const at::Tensor& t) {
    const auto compute = [&](const at::Tensor& all, const PartHere& part) {
      return output_of(own.mlp, part.leaves, all, context.hooks);
    };
    return without_dropped(tp_.sum_of_parts(region(unit), t, compute), unit, 1, context);
  };
  const auto norm = [&](const NormLayer& which, const at::Tensor& t) {
    return normalised(which, unit, t, context);
  };
  const at::Tensor h = before ? packing.read_of(x) + attend(norm(own.attention_norm, x))
                              : norm(own.attention_norm, packing.read_of(x) + attend(x));
  if (attention != nullptr) book_as(*attention, Category::kActivations, region(unit).unit, "attentions");
  const at::Tensor raised = raise(before ? norm(own.mlp_norm, h) : h);
  const MemoryScope scope = as_hidden_state(unit);
  return before ? h + raised : norm(own.mlp_norm, h + raised);
}

at::Tensor Classifier::recomputed_layer(int64_t index, const at::Tensor& x, at::Tensor* attention,
                                        const Context& context) const {
  const int unit = int(index) + 1;
  const auto kept = std::make_shared<KeptStatistics>();
  return forward_of_recomputed(x, [=, this](const at::Tensor& input, bool again) {
    Context own = context;
    own.kept = kept.get();
    if (!again) return layer(index, input, attention, own);
    kept->again = true, kept->used = 0;
    const MemoryScope scope(Category::kActivations, region(unit).unit);
    if (context.hooks != nullptr) context.hooks->before_recompute(unit);
    at::Tensor output = layer(index, input, nullptr, own);
    if (context.hooks != nullptr) context.hooks->after_recompute(unit);
    return output;
  });
}

at::Tensor Classifier::cut_head(const at::Tensor& x, const Batch& batch, at::Tensor* hidden_state,
                                const Context& context) const {
  const int unit = config_.units() - 1;
  const at::Tensor normed = normalised(layers_.norm, unit, x, context);
  if (hidden_state != nullptr) *hidden_state = normed.detach();
  return tp_.parts(region(unit), normed, [&](const at::Tensor& all, const PartHere& part) {
    const at::Tensor real = all.narrow(1, 0, batch.tokens.size(1));
    return output_of(layers_.score, part.leaves, real).to(at::kFloat);
  });
}

at::Tensor Classifier::head(const at::Tensor& own, const Batch& batch, at::Tensor* hidden_state,
                            const Context& context) const {
  const at::Tensor x = tp_.all_tokens(region(config_.units() - 1), own);
  const auto norm = [&](const at::Tensor& t) {
    return output_of(layers_.norm, parameters_, buffers_, t, context);
  };
  const auto pooled = [&](const at::Tensor& t) {  // (B, H), or (B, T, H)
    if (config_.packed) return t;
    return config_.every_position ? t.narrow(1, 0, batch.tokens.size(1))
                                  : t.index({at::arange(t.size(0), batch.last.options()), batch.last});
  };
  const auto score = [&](const at::Tensor& t) {
    return output_of(layers_.score, parameters_, t).to(at::kFloat);
  };
  if (spans_tokens(config_.norm)) {
    const at::Tensor normed = norm(x);
    if (hidden_state != nullptr) *hidden_state = normed.detach();
    return score(pooled(normed));
  }
  // The norm works row by row, so only the pooled row is normalised.
  if (hidden_state != nullptr) {
    const at::NoGradGuard no_grad;
    const MemoryScope scope = as_hidden_state(config_.units() - 1);
    *hidden_state = norm(x);
  }
  return score(norm(pooled(x)));
}

}  // namespace ringside::inline nn
