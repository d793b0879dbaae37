#include "ringside/planner/model_shapes.h"

#include <fmt/format.h>

#include "ringside/base/error.h"
#include "ringside/base/units.h"

namespace ringside::inline planner {
namespace {

// Collects shapes, and counts in doubles, which hold kMostModelParameters exactly and do not overflow.
struct ShapeList {
  std::string source;
  std::string prefix{};
  bool trainable = true;
  double total = 0;
  std::vector<ParameterShape> shapes{};

  void add(const std::string& name, std::vector<int64_t> shape) {
    double elements = 1;
    for (const int64_t size : shape) elements *= double(size);
    total += elements;
    if (total > double(kMostModelParameters))
      throw InputError("{}: {}{}: more than {} parameters; allowed are smaller sizes", source, prefix, name,
                       format_count(kMostModelParameters));
    shapes.push_back({.name = prefix + name, .shape = std::move(shape), .trainable = trainable});
  }
  // A linear layer or a norm: its bias is as long as the weight's first dimension.
  void module(const std::string& name, const std::vector<int64_t>& weight, bool bias) {
    add(name + ".weight", weight);
    if (bias) add(name + ".bias", {weight.front()});
  }
};

void add_layer(const TextSizes& text, ShapeList& list) {
  const int64_t H = text.hidden, I = text.intermediate;
  const int64_t Q = text.heads * text.head_size, KV = text.kv_heads * text.head_size;
  list.module("self_attn.q_proj", {Q, H}, text.qkv_bias);
  list.module("self_attn.k_proj", {KV, H}, text.qkv_bias);
  list.module("self_attn.v_proj", {KV, H}, text.qkv_bias);
  list.module("self_attn.o_proj", {H, Q}, text.o_bias);
  list.module("mlp.gate_proj", {I, H}, text.mlp_bias);
  list.module("mlp.up_proj", {I, H}, text.mlp_bias);
  list.module("mlp.down_proj", {H, I}, text.mlp_bias);
  list.module("input_layernorm", {H}, false);
  list.module("post_attention_layernorm", {H}, false);
}

// Qwen2-VL has LayerNorm, which has a bias, and an MLP of two layers; Qwen2.5-VL has RMSNorm and SwiGLU.
void add_block(bool first_kind, const VisionSizes& vision, ShapeList& list) {
  const int64_t D = vision.width, I = vision.intermediate;
  list.module("norm1", {D}, first_kind);
  list.module("norm2", {D}, first_kind);
  list.module("attn.qkv", {3 * D, D}, true);
  list.module("attn.proj", {D, D}, true);
  if (first_kind) {
    list.module("mlp.fc1", {I, D}, true);
    list.module("mlp.fc2", {D, I}, true);
  } else {
    list.module("mlp.gate_proj", {I, D}, true);
    list.module("mlp.up_proj", {I, D}, true);
    list.module("mlp.down_proj", {D, I}, true);
  }
}

void add_vision(ModelFamily family, const VisionSizes& vision, ShapeList& list) {
  const bool first_kind = family == ModelFamily::kQwen2Vl;
  list.prefix = "model.visual.";
  list.add("patch_embed.proj.weight",
           {vision.width, vision.channels, vision.temporal_patch, vision.patch, vision.patch});
  for (int64_t block = 0; block < vision.depth; ++block) {
    list.prefix = fmt::format("model.visual.blocks.{}.", block);
    add_block(first_kind, vision, list);
  }
  list.prefix = "model.visual.merger.";
  list.module("ln_q", {vision.width}, first_kind);
  const int64_t merged = vision.width * vision.merge * vision.merge;  // neighbouring patches side by side
  list.module("mlp.0", {merged, merged}, true);
  list.module("mlp.2", {vision.out, merged}, true);
}

}  // namespace

std::vector<ParameterShape> model_shapes(const ModelConfig& config, const ModelHead& head,
                                         bool freeze_vision) {
  const bool classifies = head.kind == ModelHead::Kind::kClassifier;
  if (classifies) require_size("classes", head.classes, kMostClasses);
  const TextSizes& text = config.text;
  const std::string text_prefix = config.vision ? "model.language_model." : "model.";
  ShapeList list{config.source};
  if (config.vision) {
    list.trainable = !freeze_vision;
    add_vision(config.family, *config.vision, list);
    list.trainable = true;
  }
  list.prefix = text_prefix;
  list.add("embed_tokens.weight", {text.vocabulary, text.hidden});
  for (int64_t layer = 0; layer < text.layers; ++layer) {
    list.prefix = fmt::format("{}layers.{}.", text_prefix, layer);
    add_layer(text, list);
  }
  list.prefix = text_prefix;
  list.module("norm", {text.hidden}, false);
  list.prefix = "";
  if (classifies) list.module("score", {head.classes, text.hidden}, head.bias);
  if (head.kind == ModelHead::Kind::kLanguageModel && !text.tied)
    list.add("lm_head.weight", {text.vocabulary, text.hidden});
  return std::move(list.shapes);
}

}  // namespace ringside::inline planner
