#include "ringside/planner/classifier_layers.h"

#include "ringside/base/error.h"

namespace ringside {
namespace {

void require(bool allowed, const std::string& what, int64_t value, const std::string& rule) {
  if (!allowed) throw UsageError(what + "=" + std::to_string(value) + ": " + rule);
}

void check_config(const ClassifierConfig& config) {
  require(config.vocabulary >= 1, "vocabulary", config.vocabulary, "at least 1");
  require(config.hidden >= 1, "hidden", config.hidden, "at least 1");
  require(config.heads >= 1, "heads", config.heads, "at least 1");
  require(config.kv_heads >= 1, "kv_heads", config.kv_heads, "at least 1");
  require(config.intermediate >= 1, "intermediate", config.intermediate, "at least 1");
  require(config.layers >= 1, "layers", config.layers, "at least 1");
  require(config.classes >= 1, "classes", config.classes, "at least 1");
  require(config.hidden % config.heads == 0, "hidden", config.hidden,
          "must be a multiple of heads=" + std::to_string(config.heads));
  require(config.head_size() % 2 == 0, "hidden", config.hidden,
          "hidden / heads must be even: rotary positions turn pairs");
  require(config.heads % config.kv_heads == 0, "heads", config.heads,
          "must be a multiple of kv_heads=" + std::to_string(config.kv_heads));
}

NormLayer norm_layer(Declaration& model, const std::string& name, const ClassifierConfig& config) {
  NormLayer norm;
  norm.kind = config.norm;
  norm.eps = config.norm_eps;
  norm.declare(model, name, config.hidden);
  return norm;
}

}  // namespace

void LinearLayer::declare(Declaration& model, const std::string& name, int64_t out, int64_t in,
                          bool has_bias) {
  weight = model.add(name + ".weight", {out, in});
  if (has_bias) bias = model.add(name + ".bias", {out});
}

void AttentionLayer::declare(Declaration& model, const std::string& name, const ClassifierConfig& config) {
  const int64_t H = config.hidden, KV = config.kv_heads * config.head_size();
  q.declare(model, name + ".q_proj", H, H, true);
  k.declare(model, name + ".k_proj", KV, H, true);
  v.declare(model, name + ".v_proj", KV, H, true);
  o.declare(model, name + ".o_proj", H, H, false);
}

void SwigluLayer::declare(Declaration& model, const std::string& name, const ClassifierConfig& config) {
  gate.declare(model, name + ".gate_proj", config.intermediate, config.hidden, false);
  up.declare(model, name + ".up_proj", config.intermediate, config.hidden, false);
  down.declare(model, name + ".down_proj", config.hidden, config.intermediate, false);
}

void DecoderLayer::declare(Declaration& model, const ClassifierConfig& config) {
  attention_norm = norm_layer(model, "input_layernorm", config);
  attention.declare(model, "self_attn", config);
  mlp_norm = norm_layer(model, "post_attention_layernorm", config);
  mlp.declare(model, "mlp", config);
}

void ClassifierLayers::declare(Declaration& model, const ClassifierConfig& config) {
  check_config(config);
  model.begin_unit(unit_name(0, config.layers), "model.");
  embedding = model.add("embed_tokens.weight", {config.vocabulary, config.hidden}, !config.freeze_embedding);
  decoder.resize(static_cast<size_t>(config.layers));
  for (int layer = 0; layer < config.layers; ++layer) {
    model.begin_unit(unit_name(layer + 1, config.layers), "model.layers." + std::to_string(layer) + ".");
    decoder[static_cast<size_t>(layer)].declare(model, config);
  }
  model.begin_unit(unit_name(config.units() - 1, config.layers), "");
  norm = norm_layer(model, "model.norm", config);
  score.declare(model, "score", config.classes, config.hidden, config.head_bias);
}

}  // namespace ringside
