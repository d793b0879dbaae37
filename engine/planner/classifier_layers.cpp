#include "ringside/planner/classifier_layers.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include "ringside/base/error.h"
#include "ringside/planner/run_mesh.h"

namespace ringside::inline planner {
namespace {

void require(bool allowed, const char* what, int64_t value, const std::string& rule) {
  if (!allowed) throw UsageError("{}={}: {}", what, value, rule);
}

void check_config(const ClassifierConfig& config) {
  const std::pair<const char*, int64_t> sizes[] = {{"vocabulary", config.vocabulary},
                                                   {"hidden", config.hidden},
                                                   {"heads", config.heads},
                                                   {"kv_heads", config.kv_heads},
                                                   {"intermediate", config.intermediate},
                                                   {"layers", config.layers},
                                                   {"classes", config.classes}};
  for (const auto& [name, size] : sizes) require(size >= 1, name, size, "at least 1");
  require(config.hidden % config.heads == 0, "hidden", config.hidden,
          fmt::format("must be a multiple of heads={}", config.heads));
  require(config.head_size() % 2 == 0, "hidden", config.hidden,
          "hidden / heads must be even: rotary positions turn pairs");
  if (config.norm == NormKind::kGroup)
    require(config.norm_groups >= 1 && config.hidden % config.norm_groups == 0, "norm_groups",
            config.norm_groups, fmt::format("hidden={} must be a multiple of it", config.hidden));
  if (config.tied)
    require(config.every_position && !config.head_bias && config.classes == config.vocabulary, "classes",
            config.classes,
            fmt::format("a head that is tied to the embedding is a language model's, without a bias, and has "
                        "the vocabulary={} as classes",
                        config.vocabulary));
  if (!(config.dropout >= 0 && config.dropout < 1))
    throw UsageError("dropout={}: 0 or more, and less than 1", config.dropout);
  const std::pair<bool, const char*> in_the_way[] = {
      {!config.fused, "fused=off"},
      {!config.causal, "tokens that see those behind them"},
      {config.every_position, "a head that reads every position"},
      {spans_tokens(config.norm), "a norm that spans tokens"},
      {config.learned_positions > 0, "learned positions"},
      {config.dropout > 0, "dropout"},
      {!config.stage_of_unit.empty(), "pp"}};
  for (const auto& [is_set, what] : in_the_way)
    if (config.packed && is_set)
      throw UsageError(
          "packed=on with {}: allowed is a causal classifier that is not cut, with fused=on and "
          "without dropout; packed=off computes the padding too",
          what);
  require(config.heads % config.kv_heads == 0, "heads", config.heads,
          fmt::format("must be a multiple of kv_heads={}", config.kv_heads));
}

}  // namespace

void LinearLayer::declare(Declaration& model, const std::string& name, int64_t out, int64_t in, bool has_bias,
                          const std::vector<Cut>& cuts) {
  weight = model.add(name + ".weight", {out, in}, true, cuts);
  std::vector<Cut> of_outputs;
  std::ranges::copy_if(cuts, std::back_inserter(of_outputs), [](const Cut& cut) { return cut.dim == 0; });
  if (has_bias) bias = model.add(name + ".bias", {out}, true, of_outputs);
}

void AttentionLayer::declare(Declaration& model, const std::string& name, const ClassifierConfig& config) {
  const int64_t H = config.hidden, KV = config.kv_heads * config.head_size();
  const int64_t head = config.head_size();
  const bool bias = config.attention_bias;
  q.declare(model, name + ".q_proj", H, H, bias, LinearLayer::by_outputs(head));
  k.declare(model, name + ".k_proj", KV, H, bias, LinearLayer::by_outputs(head));
  v.declare(model, name + ".v_proj", KV, H, bias, LinearLayer::by_outputs(head));
  o.declare(model, name + ".o_proj", H, H, false, LinearLayer::by_inputs(head));
}

void SwigluLayer::declare(Declaration& model, const std::string& name, const ClassifierConfig& config) {
  fused = config.fused;
  gate.declare(model, name + ".gate_proj", config.intermediate, config.hidden, false,
               LinearLayer::by_outputs());
  up.declare(model, name + ".up_proj", config.intermediate, config.hidden, false, LinearLayer::by_outputs());
  down.declare(model, name + ".down_proj", config.hidden, config.intermediate, false,
               LinearLayer::by_inputs());
}

void DecoderLayer::declare(Declaration& model, const ClassifierConfig& config) {
  if (config.where == NormPlace::kPre) {
    attention_norm.declare(model, "input_layernorm", config);
    attention.declare(model, "self_attn", config);
    mlp_norm.declare(model, "post_attention_layernorm", config);
    mlp.declare(model, "mlp", config);
  } else {
    attention.declare(model, "self_attn", config);
    attention_norm.declare(model, "post_attention_layernorm", config);
    mlp.declare(model, "mlp", config);
    mlp_norm.declare(model, "post_feedforward_layernorm", config);
  }
}

void ClassifierLayers::declare(Declaration& model, const ClassifierConfig& config) {
  check_config(config);
  model.begin_unit(unit_name(0, config.layers), "model.");
  const std::vector<Cut> by_vocabulary = {
      {.dim = 0, .over = kTensorParallel, .sections = {}, .grain = 1, .pads = true}};
  embedding = model.add("embed_tokens.weight", {config.vocabulary, config.hidden}, !config.freeze_embedding,
                        by_vocabulary);
  if (config.learned_positions > 0)
    positions = model.add("embed_positions.weight", {config.learned_positions, config.hidden});
  decoder.resize(size_t(config.layers));
  for (size_t layer = 0; layer < decoder.size(); ++layer) {
    model.begin_unit(unit_name(int(layer) + 1, config.layers), fmt::format("model.layers.{}.", layer));
    decoder[layer].declare(model, config);
  }
  model.begin_unit(unit_name(config.units() - 1, config.layers), "");
  norm.declare(model, "model.norm", config);
  if (config.tied && config.stage_of_unit.empty()) {
    score.weight = embedding;
  } else {
    score.declare(model, "score", config.classes, config.hidden, config.head_bias,
                  config.tied ? by_vocabulary : std::vector<Cut>());
    if (config.tied) model.tie(embedding, score.weight);
  }
  if (!config.stage_of_unit.empty()) model.place_units(kPipeline, config.stage_of_unit);
}

Declaration declare_classifier(const ClassifierConfig& config) {
  Declaration model;
  ClassifierLayers().declare(model, config);
  return model;
}

std::vector<ParameterShape> classifier_shapes(const ClassifierConfig& config) {
  return declare_classifier(config).shapes();
}

std::string unit_name(int unit, int64_t layers) {
  if (unit == 0) return "embedding";
  return unit <= layers ? fmt::format("layer {}", unit - 1) : "head";
}

void BatchNormLayer::declare(Declaration& model, const std::string& its_name, int64_t width, bool shared) {
  name = its_name;
  weight = model.add(name + ".weight", {width});
  bias = model.add(name + ".bias", {width});
  running_mean = model.add_buffer(name + ".running_mean", {width}, 0, !shared);
  running_var = model.add_buffer(name + ".running_var", {width}, 1, !shared);
  if (shared) model.share_statistics(width);
}

void NormLayer::declare(Declaration& model, const std::string& name, const ClassifierConfig& config) {
  kind = config.norm;
  eps = config.norm_eps;
  fused = config.fused;
  if (kind == NormKind::kGroup) fold = config.hidden / config.norm_groups;
  if (is_batch_norm(kind)) {
    batch.eps = eps;
    return batch.declare(model, name, config.hidden, kind == NormKind::kSyncBatch);
  }
  weight = model.add(name + ".weight", {config.hidden});
  if (has_bias(kind)) bias = model.add(name + ".bias", {config.hidden});
}

}  // namespace ringside::inline planner
