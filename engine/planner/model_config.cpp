#include "ringside/planner/model_config.h"

#include <array>
#include <fstream>
#include <sstream>

#include "config_fields.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"

namespace ringside {
namespace {

using Range = ConfigFields::Range;

constexpr Range kWidths = {1, int64_t{1} << 24};
constexpr Range kHeads = {1, 1 << 16};
constexpr Range kVocabulary = {1, int64_t{1} << 31};
constexpr Range kLayers = {1, kMostModelLayers};
constexpr Range kSmall = {1, 1024};  // patches, channels, ratios

constexpr std::array kFamilies = {ModelFamily::kQwen2, ModelFamily::kLlama, ModelFamily::kQwen2Vl,
                                  ModelFamily::kQwen25Vl};

bool has_vision(ModelFamily family) {
  return family == ModelFamily::kQwen2Vl || family == ModelFamily::kQwen25Vl;
}

ModelFamily read_family(const ConfigFields& fields) {
  const std::string typed = fields.required_text("model_type");
  for (const ModelFamily family : kFamilies)
    if (typed == to_string(family)) return family;
  fields.reject("model_type", (typed.size() <= 60 ? "\"" + typed + "\"; " : "") +
                                  "allowed are qwen2, llama, qwen2_vl, qwen2_5_vl");
}

void check_heads(const ConfigFields& fields, const std::string& at, const TextSizes& text, bool head_given) {
  if (!head_given && text.hidden % text.heads != 0)
    fields.reject(at + "hidden_size", format_count(text.hidden) +
                                          " must be a multiple of num_attention_heads " +
                                          std::to_string(text.heads));
  if (text.head_size % 2 != 0)
    fields.reject(
        at + (head_given ? "head_dim" : "hidden_size"),
        "a head of " + std::to_string(text.head_size) + " must be even: rotary positions turn pairs");
  if (text.heads % text.kv_heads != 0)
    fields.reject(at + "num_attention_heads", std::to_string(text.heads) +
                                                  " must be a multiple of num_key_value_heads " +
                                                  std::to_string(text.kv_heads));
}

TextSizes read_text(const ConfigFields& fields, ModelFamily family) {
  const std::string at = fields.is_object("text_config") ? "text_config." : "";
  TextSizes text;
  text.hidden = fields.required_integer(at + "hidden_size", kWidths);
  text.intermediate = fields.required_integer(at + "intermediate_size", kWidths);
  text.layers = fields.required_integer(at + "num_hidden_layers", kLayers);
  text.heads = fields.required_integer(at + "num_attention_heads", kHeads);
  text.kv_heads = fields.integer(at + "num_key_value_heads", kHeads).value_or(text.heads);
  text.vocabulary = fields.required_integer(at + "vocab_size", kVocabulary);
  const auto head_size = fields.integer(at + "head_dim", kWidths);
  text.head_size = head_size.value_or(text.hidden / text.heads);
  check_heads(fields, at, text, head_size.has_value());
  if (has_vision(family) && text.head_size * text.heads != text.hidden)
    fields.reject(at + "head_dim", "in this family it is hidden_size / num_attention_heads");
  if (family == ModelFamily::kLlama) {
    text.qkv_bias = text.o_bias = fields.boolean(at + "attention_bias").value_or(false);
    text.mlp_bias = fields.boolean(at + "mlp_bias").value_or(false);
  } else {
    text.qkv_bias = true;  // the classes of Qwen2 have it built in
  }
  // The word at the top is the one that transformers acts on.
  const auto inner = at.empty() ? std::nullopt : fields.boolean(at + "tie_word_embeddings");
  text.tied = fields.boolean("tie_word_embeddings").value_or(inner.value_or(false));
  return text;
}

int64_t read_channels(const ConfigFields& fields, const std::string& at, int64_t otherwise) {
  const auto current = fields.integer(at + "in_channels", kSmall);
  const auto published = fields.integer(at + "in_chans", kSmall);
  if (current && published && *current != *published)
    fields.reject(at + "in_channels", std::to_string(*current) + ", but in_chans is " +
                                          std::to_string(*published) + "; allowed is one number");
  return current ? *current : published.value_or(otherwise);
}

VisionSizes read_vision(const ConfigFields& fields, ModelFamily family, const TextSizes& text) {
  const std::string at = "vision_config.";
  if (!fields.is_object("vision_config"))
    fields.reject("vision_config", "missing; allowed is an object {...}");
  const auto read = [&](const char* name, Range range, int64_t otherwise) {
    return fields.integer(at + name, range).value_or(otherwise);
  };
  VisionSizes vision;
  std::string out;
  if (family == ModelFamily::kQwen2Vl) {
    vision.width = read("embed_dim", kWidths, 1280);
    vision.intermediate = vision.width * read("mlp_ratio", kSmall, 4);
    vision.out = read((out = "hidden_size").c_str(), kWidths, 3584);
  } else {
    vision.width = read("hidden_size", kWidths, 3584);
    vision.intermediate = read("intermediate_size", kWidths, 3420);
    vision.out = read((out = "out_hidden_size").c_str(), kWidths, 3584);
  }
  vision.depth = read("depth", kLayers, vision.depth);
  vision.heads = read("num_heads", kHeads, vision.heads);
  vision.patch = read("patch_size", kSmall, vision.patch);
  vision.temporal_patch = read("temporal_patch_size", kSmall, vision.temporal_patch);
  vision.merge = read("spatial_merge_size", kSmall, vision.merge);
  vision.channels = read_channels(fields, at, vision.channels);
  if (vision.width % vision.heads != 0)
    fields.reject(at + "num_heads",
                  std::to_string(vision.heads) + " must divide the width " + format_count(vision.width));
  if (vision.out != text.hidden)
    fields.reject(at + out, format_count(vision.out) + "; allowed is the text's hidden_size " +
                                format_count(text.hidden));
  return vision;
}

}  // namespace

const char* to_string(ModelFamily family) {
  switch (family) {
    case ModelFamily::kQwen2:
      return "qwen2";
    case ModelFamily::kLlama:
      return "llama";
    case ModelFamily::kQwen2Vl:
      return "qwen2_vl";
    case ModelFamily::kQwen25Vl:
      return "qwen2_5_vl";
  }
  return "";
}

ModelConfig parse_model_config(const std::string& json, const std::string& source) {
  if (json.size() > static_cast<size_t>(kMostConfigBytes))
    throw InputError(source + ": more than 1 MiB; expected the config.json of a model");
  const ConfigFields fields(json, source);
  ModelConfig config;
  config.source = source;
  config.family = read_family(fields);
  config.text = read_text(fields, config.family);
  if (has_vision(config.family)) config.vision = read_vision(fields, config.family, config.text);
  return config;
}

ModelConfig read_model_config(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // One byte more than is allowed tells a file that is too large, and one without an end, from the rest.
  std::string bytes(static_cast<size_t>(kMostConfigBytes) + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad() || (file.fail() && !file.eof()))
    throw InputError(path + ": cannot be read; expected the config.json of a model");
  bytes.resize(static_cast<size_t>(file.gcount()));
  return parse_model_config(bytes, path);
}

}  // namespace ringside
