#include "ringside/planner/model_shapes.h"

#include "ringside/base/error.h"
#include "ringside/base/units.h"

namespace ringside {
namespace {

// Collects shapes and adds them up as it goes, so that no product and no sum overflows later.
class ShapeList {
 public:
  explicit ShapeList(const std::string& source) : source_(source) {}
  std::string prefix;
  int unit = 0;
  bool trainable = true;

  void add(const std::string& name, std::vector<int64_t> shape) {
    int64_t numel = 1;
    bool overflow = false;
    for (const int64_t size : shape) overflow |= __builtin_mul_overflow(numel, size, &numel);
    if (overflow || numel > kMostModelParameters - total_)
      throw InputError(source_ + ": " + prefix + name + ": more than " + format_count(kMostModelParameters) +
                       " parameters; allowed are smaller sizes");
    total_ += numel;
    shapes_.push_back({prefix + name, unit, std::move(shape), trainable});
  }
  void linear(const std::string& name, int64_t out, int64_t in, bool bias) {
    add(name + ".weight", {out, in});
    if (bias) add(name + ".bias", {out});
  }
  // LayerNorm has a bias, RMSNorm none.
  void norm(const std::string& name, int64_t width, bool bias) {
    add(name + ".weight", {width});
    if (bias) add(name + ".bias", {width});
  }
  std::vector<ParameterShape> take() { return std::move(shapes_); }

 private:
  std::string source_;
  int64_t total_ = 0;
  std::vector<ParameterShape> shapes_;
};

void add_layer(const TextSizes& text, ShapeList& list) {
  const int64_t Q = text.heads * text.head_size, KV = text.kv_heads * text.head_size;
  list.linear("self_attn.q_proj", Q, text.hidden, text.qkv_bias);
  list.linear("self_attn.k_proj", KV, text.hidden, text.qkv_bias);
  list.linear("self_attn.v_proj", KV, text.hidden, text.qkv_bias);
  list.linear("self_attn.o_proj", text.hidden, Q, text.o_bias);
  list.linear("mlp.gate_proj", text.intermediate, text.hidden, text.mlp_bias);
  list.linear("mlp.up_proj", text.intermediate, text.hidden, text.mlp_bias);
  list.linear("mlp.down_proj", text.hidden, text.intermediate, text.mlp_bias);
  list.norm("input_layernorm", text.hidden, false);
  list.norm("post_attention_layernorm", text.hidden, false);
}

void add_block(ModelFamily family, const VisionSizes& vision, ShapeList& list) {
  const int64_t D = vision.width, I = vision.intermediate;
  const bool layer_norm = family == ModelFamily::kQwen2Vl;
  list.norm("norm1", D, layer_norm);
  list.norm("norm2", D, layer_norm);
  list.linear("attn.qkv", 3 * D, D, true);
  list.linear("attn.proj", D, D, true);
  if (layer_norm) {
    list.linear("mlp.fc1", I, D, true);
    list.linear("mlp.fc2", D, I, true);
    return;
  }
  list.linear("mlp.gate_proj", I, D, true);
  list.linear("mlp.up_proj", I, D, true);
  list.linear("mlp.down_proj", D, I, true);
}

void add_vision(ModelFamily family, const VisionSizes& vision, ShapeList& list) {
  list.prefix = "model.visual.";
  list.add("patch_embed.proj.weight",
           {vision.width, vision.channels, vision.temporal_patch, vision.patch, vision.patch});
  for (int64_t block = 0; block < vision.depth; ++block) {
    list.prefix = "model.visual.blocks." + std::to_string(block) + ".";
    add_block(family, vision, list);
  }
  list.prefix = "model.visual.merger.";
  list.norm("ln_q", vision.width, family == ModelFamily::kQwen2Vl);
  const int64_t merged = vision.width * vision.merge * vision.merge;  // neighbouring patches side by side
  list.linear("mlp.0", merged, merged, true);
  list.linear("mlp.2", vision.out, merged, true);
}

void add_head(const TextSizes& text, const ModelHead& head, ShapeList& list) {
  if (head.kind == ModelHead::Kind::kLanguageModel && !text.tied)
    list.add("lm_head.weight", {text.vocabulary, text.hidden});
  if (head.kind == ModelHead::Kind::kClassifier) list.linear("score", head.classes, text.hidden, head.bias);
}

}  // namespace

std::vector<ParameterShape> model_shapes(const ModelConfig& config, const ModelHead& head,
                                         bool freeze_vision) {
  if (head.kind == ModelHead::Kind::kClassifier && (head.classes < 1 || head.classes > kMostClasses))
    throw UsageError("classes=" + std::to_string(head.classes) + ": allowed are 1 to " +
                     format_count(kMostClasses));
  ShapeList list(config.source);
  const std::string text_prefix = config.vision ? "model.language_model." : "model.";
  if (config.vision) {
    list.unit = 1;
    list.trainable = !freeze_vision;
    add_vision(config.family, *config.vision, list);
    list.trainable = true;
  }
  list.unit = 0;
  list.prefix = text_prefix;
  list.add("embed_tokens.weight", {config.text.vocabulary, config.text.hidden});
  list.unit = config.vision ? 1 : 0;
  for (int64_t layer = 0; layer < config.text.layers; ++layer) {
    ++list.unit;
    list.prefix = text_prefix + "layers." + std::to_string(layer) + ".";
    add_layer(config.text, list);
  }
  ++list.unit;
  list.prefix = text_prefix;
  list.norm("norm", config.text.hidden, false);
  list.prefix = "";
  add_head(config.text, head, list);
  return list.take();
}

}  // namespace ringside
