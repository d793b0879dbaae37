// The sizes of a released model, read from its Hugging Face config.json.
//
// Families: qwen2, llama, qwen2_vl, qwen2_5_vl (the field "model_type"). The text's fields stand at the
// top, as checkpoints were published, or in "text_config", as transformers 5 writes them. Whatever else
// the file holds is not looked at, apart from being JSON without duplicate keys.
//
// A file is bytes from outside, so nothing in it is believed before it is bounded: 1 MiB, 32 brackets
// deep, every size an integer in the range that the message names, at most 10^15 parameters in all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/field.h"

namespace ringside::inline planner {

inline constexpr size_t kMostConfigBytes = size_t{1} << 20;
inline constexpr int kMostConfigDepth = 32;
inline constexpr int64_t kMostModelLayers = 10'000;
inline constexpr int64_t kMostModelParameters = 1'000'000'000'000'000;

enum class ModelFamily : uint8_t { kQwen2, kLlama, kQwen2Vl, kQwen25Vl };
// As "model_type" has them.
inline constexpr std::string_view kModelFamilyTexts[] = {"qwen2", "llama", "qwen2_vl", "qwen2_5_vl"};
inline std::span<const std::string_view> texts(ModelFamily) { return kModelFamilyTexts; }

struct TextSizes {
  int64_t hidden = 0;        // H, hidden_size
  int64_t intermediate = 0;  // I, intermediate_size
  int64_t layers = 0;        // L, num_hidden_layers
  int64_t heads = 0;         // num_attention_heads
  int64_t kv_heads = 0;      // num_key_value_heads; without it: heads
  int64_t vocabulary = 0;    // V, vocab_size
  int64_t head_size = 0;     // head_dim; without it: H / heads
  bool qkv_bias = false;     // of q, k, v: always in Qwen2, Llama by attention_bias
  bool o_bias = false;       // Llama by attention_bias
  bool mlp_bias = false;     // Llama by mlp_bias
  bool tied = false;         // tie_word_embeddings: lm_head is the embedding

  // A token's keys and values in all layers, which a model keeps of it while it writes.
  int64_t cached_bytes(int64_t element_bytes) const {
    return 2 * element_bytes * layers * kv_heads * head_size;
  }
};

// The vision tower; a field that is left out has the default of transformers' class.
struct VisionSizes {
  int64_t depth = 32;          // blocks
  int64_t width = 0;           // D; Qwen2-VL: embed_dim, Qwen2.5-VL: hidden_size
  int64_t intermediate = 0;    // Qwen2-VL: D mlp_ratio, Qwen2.5-VL: intermediate_size
  int64_t out = 0;             // H of the text; Qwen2-VL: hidden_size, Qwen2.5-VL: out_hidden_size
  int64_t heads = 16;          // num_heads
  int64_t channels = 3;        // in_channels or in_chans
  int64_t patch = 14;          // patch_size
  int64_t temporal_patch = 2;  // temporal_patch_size
  int64_t merge = 2;           // spatial_merge_size
};

struct ModelConfig {
  std::string source;  // the file, for messages
  ModelFamily family = ModelFamily::kQwen2;
  TextSizes text;
  std::optional<VisionSizes> vision;
};

// InputError naming the file, the field and what is allowed.
ModelConfig read_model_config(const std::string& path);
// Those that come along: names in order, and the file of one.
std::vector<std::string> packaged_models();
std::string packaged_model(const std::string& name);
// One of them by its name, or the config.json of a path, as a parameter `model` has it; its source is the
// name. UsageError, which has the names, where there is no such file.
ModelConfig named_model(const std::string& model);
ModelConfig parse_model_config(const std::string& json, const std::string& source);

}  // namespace ringside::inline planner
