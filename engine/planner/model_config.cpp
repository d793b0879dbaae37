#include "ringside/planner/model_config.h"

#include <algorithm>
#include <filesystem>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/source_tree.h"
#include "ringside/base/text.h"

namespace ringside::inline planner {
namespace {

constexpr int64_t kMostWidth = int64_t{1} << 24;
constexpr int64_t kMostHeads = 1 << 16;
constexpr int64_t kMostVocabulary = int64_t{1} << 31;
constexpr int64_t kMostSmall = 1024;  // patches, channels, ratios

bool has_vision(ModelFamily family) {
  return family == ModelFamily::kQwen2Vl || family == ModelFamily::kQwen25Vl;
}

// What `read` makes of the object that stands under the key, which its rejections name too.
template <typename Read>
auto within(const JsonObject& top, const char* key, const Read& read) {
  const JsonObject object = top.object(key);
  try {
    return read(object);
  } catch (const JsonRejected& rejected) {
    throw JsonRejected("{}: {}", key, rejected.why);
  }
}

TextSizes read_text(const JsonObject& fields, ModelFamily family) {
  TextSizes text;
  text.hidden = fields.integer("hidden_size", 1, kMostWidth);
  text.intermediate = fields.integer("intermediate_size", 1, kMostWidth);
  text.layers = fields.integer("num_hidden_layers", 1, kMostModelLayers);
  text.heads = fields.integer("num_attention_heads", 1, kMostHeads);
  text.kv_heads = fields.integer("num_key_value_heads", 1, kMostHeads, text.heads);
  text.vocabulary = fields.integer("vocab_size", 1, kMostVocabulary);
  if (!fields.find("head_dim") && text.hidden % text.heads != 0)
    throw JsonRejected("hidden_size: {} must be a multiple of num_attention_heads {}", text.hidden,
                       text.heads);
  text.head_size = fields.integer("head_dim", 1, kMostWidth, text.hidden / text.heads);
  if (text.head_size % 2 != 0)
    throw JsonRejected("{}: a head of {} must be even: rotary positions turn pairs",
                       fields.find("head_dim") ? "head_dim" : "hidden_size", text.head_size);
  if (text.heads % text.kv_heads != 0)
    throw JsonRejected("num_attention_heads: {} must be a multiple of num_key_value_heads {}", text.heads,
                       text.kv_heads);
  if (has_vision(family) && text.head_size * text.heads != text.hidden)
    throw JsonRejected("head_dim: in this family it is hidden_size / num_attention_heads");
  if (family == ModelFamily::kLlama) {
    text.qkv_bias = text.o_bias = fields.flag("attention_bias", false);
    text.mlp_bias = fields.flag("mlp_bias", false);
  } else {
    text.qkv_bias = true;  // the classes of Qwen2 have it built in
  }
  text.tied = fields.flag("tie_word_embeddings", false);
  return text;
}

int64_t read_channels(const JsonObject& fields, int64_t otherwise) {
  const int64_t published = fields.integer("in_chans", 1, kMostSmall, otherwise);
  const int64_t current = fields.integer("in_channels", 1, kMostSmall, published);
  if (fields.find("in_chans") && current != published)
    throw JsonRejected("in_channels: {}, but in_chans is {}; allowed is one number", current, published);
  return current;
}

VisionSizes read_vision(const JsonObject& fields, ModelFamily family, const TextSizes& text) {
  const bool first_kind = family == ModelFamily::kQwen2Vl;
  const char* const out = first_kind ? "hidden_size" : "out_hidden_size";
  VisionSizes vision;
  if (first_kind) {
    vision.width = fields.integer("embed_dim", 1, kMostWidth, 1280);
    vision.intermediate = vision.width * fields.integer("mlp_ratio", 1, kMostSmall, 4);
  } else {
    vision.width = fields.integer("hidden_size", 1, kMostWidth, 3584);
    vision.intermediate = fields.integer("intermediate_size", 1, kMostWidth, 3420);
  }
  vision.out = fields.integer(out, 1, kMostWidth, 3584);
  vision.depth = fields.integer("depth", 1, kMostModelLayers, vision.depth);
  vision.heads = fields.integer("num_heads", 1, kMostHeads, vision.heads);
  vision.patch = fields.integer("patch_size", 1, kMostSmall, vision.patch);
  vision.temporal_patch = fields.integer("temporal_patch_size", 1, kMostSmall, vision.temporal_patch);
  vision.merge = fields.integer("spatial_merge_size", 1, kMostSmall, vision.merge);
  vision.channels = read_channels(fields, vision.channels);
  if (vision.width % vision.heads != 0)
    throw JsonRejected("num_heads: {} must divide the width {}", vision.heads, vision.width);
  if (vision.out != text.hidden)
    throw JsonRejected("{}: {}; allowed is the text's hidden_size {}", out, vision.out, text.hidden);
  return vision;
}

ModelConfig read_config(const JsonObject& top) {
  ModelConfig config;
  config.family = static_cast<ModelFamily>(top.choice("model_type", texts(ModelFamily{})));
  const auto text = [&](const JsonObject& fields) { return read_text(fields, config.family); };
  config.text = top.find("text_config") ? within(top, "text_config", text) : text(top);
  // The word at the top is the one that transformers acts on.
  config.text.tied = top.flag("tie_word_embeddings", config.text.tied);
  if (has_vision(config.family))
    config.vision = within(top, "vision_config", [&](const JsonObject& fields) {
      return read_vision(fields, config.family, config.text);
    });
  return config;
}

}  // namespace

ModelConfig parse_model_config(const std::string& json, const std::string& source) try {
  const Json parsed = parse_json(json, {kMostConfigBytes, kMostConfigDepth, kMostConfigBytes});
  ModelConfig config = read_config(JsonObject(parsed));
  config.source = source;
  return config;
} catch (const JsonRejected& rejected) {
  throw InputError("{}: {}; expected the config.json of a model", source, rejected.why);
}

ModelConfig read_model_config(const std::string& path) {
  return parse_model_config(read_file(path, kMostConfigBytes), typed_path(path));
}

std::vector<std::string> packaged_models() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(assets() / "models"))
    if (file.path().extension() == ".json") names.push_back(file.path().stem());
  std::ranges::sort(names);
  return names;
}

std::string packaged_model(const std::string& name) {
  return (assets() / "models" / (name + ".json")).string();
}

ModelConfig named_model(const std::string& model) {
  const std::string path = asset("models", model);
  if (!std::filesystem::is_regular_file(path))
    throw UsageError(
        "model={}: there is no file {}; models of assets/models are {}, or give the path of a config.json",
        model, path, fmt::join(packaged_models(), ", "));
  ModelConfig config = read_model_config(path);
  config.source = std::filesystem::path(model).stem();
  return config;
}

}  // namespace ringside::inline planner
