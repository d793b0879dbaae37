#include "ringside/planner/shapes.h"

#include <functional>
#include <numeric>

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

void add_layer(const ClassifierConfig& config, int64_t layer, std::vector<ParameterShape>& shapes) {
  const int64_t H = config.hidden;
  const int64_t I = config.intermediate;
  const int64_t Q = config.heads * config.head_size();
  const int64_t KV = config.kv_heads * config.head_size();
  const std::string prefix = "model.layers." + std::to_string(layer) + ".";
  const auto add = [&](const std::string& name, std::vector<int64_t> shape) {
    shapes.push_back({prefix + name, static_cast<int>(layer) + 1, std::move(shape), true});
  };
  add("input_layernorm.weight", {H});
  add("self_attn.q_proj.weight", {Q, H});
  add("self_attn.q_proj.bias", {Q});
  add("self_attn.k_proj.weight", {KV, H});
  add("self_attn.k_proj.bias", {KV});
  add("self_attn.v_proj.weight", {KV, H});
  add("self_attn.v_proj.bias", {KV});
  add("self_attn.o_proj.weight", {H, Q});
  add("post_attention_layernorm.weight", {H});
  add("mlp.gate_proj.weight", {I, H});
  add("mlp.up_proj.weight", {I, H});
  add("mlp.down_proj.weight", {H, I});
}

}  // namespace

int64_t ParameterShape::numel() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::vector<ParameterShape> classifier_shapes(const ClassifierConfig& config) {
  check_config(config);
  const int64_t H = config.hidden;
  const int head = config.units() - 1;
  std::vector<ParameterShape> shapes;
  shapes.push_back({"model.embed_tokens.weight", 0, {config.vocabulary, H}, !config.freeze_embedding});
  for (int64_t layer = 0; layer < config.layers; ++layer) add_layer(config, layer, shapes);
  shapes.push_back({"model.norm.weight", head, {H}, true});
  shapes.push_back({"score.weight", head, {config.classes, H}, true});
  if (config.head_bias) shapes.push_back({"score.bias", head, {config.classes}, true});
  return shapes;
}

std::string unit_name(int unit, int64_t layers) {
  if (unit == 0) return "embedding";
  return unit <= layers ? "layer " + std::to_string(unit - 1) : "head";
}

int64_t count_parameters(const std::vector<ParameterShape>& shapes) {
  int64_t count = 0;
  for (const ParameterShape& shape : shapes) count += shape.numel();
  return count;
}

int64_t count_trainable(const std::vector<ParameterShape>& shapes) {
  int64_t count = 0;
  for (const ParameterShape& shape : shapes) count += shape.trainable ? shape.numel() : 0;
  return count;
}

}  // namespace ringside
