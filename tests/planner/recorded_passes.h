// What real backward passes did: names from named_parameters(), and the order in which
// register_post_accumulate_grad_hook fired. Recorded with transformers 5.23.0 on torch 2.15.0, CPU, fp32,
// small random models of two layers with a linear head "score" of 5 classes at the last token. Eager and sdpa
// attention gave the same. Names are written short (expanded()), each order as indices into them.
#pragma once

#include <sstream>
#include <string>
#include <vector>

struct RecordedPass {
  const char* what;
  const char* config;
  bool head_bias;
  std::vector<std::string> names;
  std::vector<int> order;  // into names
};

// "a b*" is a.weight, b.weight and b.bias; a line "in.#.:a" is in.0.a.weight and in.1.a.weight.
inline std::vector<std::string> expanded(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    std::string prefix = colon == std::string::npos ? "" : line.substr(0, colon);
    const size_t number = prefix.find('#');
    for (char layer = '0'; layer <= (number == std::string::npos ? '0' : '1'); ++layer) {
      if (number != std::string::npos) prefix[number] = layer;
      std::istringstream words(line.substr(colon + 1));
      for (std::string word; words >> word;) {
        const bool has_bias = word.back() == '*';
        if (has_bias) word.pop_back();
        names.push_back(prefix + word + ".weight");
        if (has_bias) names.push_back(prefix + word + ".bias");
      }
    }
  }
  return names;
}

inline const std::vector<RecordedPass>& recorded_passes() {
  static const std::vector<RecordedPass> passes = {
      {"Qwen2Model",
       R"({"model_type": "qwen2", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100})",
       true,
       expanded(R"(model.embed_tokens
model.layers.#.:self_attn.q_proj* self_attn.k_proj* self_attn.v_proj* self_attn.o_proj )"
                R"(mlp.gate_proj mlp.up_proj mlp.down_proj input_layernorm post_attention_layernorm
model.norm score*)"),
       {27, 26, 25, 22, 21, 20, 24, 19, 18, 17, 16, 15, 14, 13,
        23, 10, 9,  8,  12, 7,  6,  5,  4,  3,  2,  1,  11, 0}},
      {"LlamaModel",
       R"({"model_type": "llama", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100})",
       false,
       expanded(R"(model.embed_tokens
model.layers.#.:self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.o_proj )"
                R"(mlp.gate_proj mlp.up_proj mlp.down_proj input_layernorm post_attention_layernorm
model.norm score)"),
       {20, 19, 16, 15, 14, 18, 13, 12, 11, 10, 17, 7, 6, 5, 9, 4, 3, 2, 1, 8, 0}},
      {"LlamaModel with attention_bias and mlp_bias",
       R"({"model_type": "llama", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "attention_bias": true,
"mlp_bias": true})",
       false,
       expanded(R"(model.embed_tokens
model.layers.#.:self_attn.q_proj* self_attn.k_proj* self_attn.v_proj* self_attn.o_proj* )"
                R"(mlp.gate_proj* mlp.up_proj* mlp.down_proj* input_layernorm post_attention_layernorm
model.norm score)"),
       {34, 33, 30, 29, 28, 27, 26, 25, 32, 24, 23, 22, 21, 20, 19, 18, 17, 31,
        14, 13, 12, 11, 10, 9,  16, 8,  7,  6,  5,  4,  3,  2,  1,  15, 0}},
      {"Qwen2VLModel, text and images",
       R"({"model_type": "qwen2_vl", "text_config": {"hidden_size": 32, "intermediate_size": 48,
"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100},
"vision_config": {"depth": 2, "embed_dim": 16, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 2,
"patch_size": 4, "temporal_patch_size": 2, "spatial_merge_size": 2, "in_channels": 3}})",
       true,
       expanded(R"(model.visual.patch_embed.proj
model.visual.blocks.#.:norm1* norm2* attn.qkv* attn.proj* mlp.fc1* mlp.fc2*
model.visual.merger.:ln_q* mlp.0* mlp.2*
model.language_model.embed_tokens
model.language_model.layers.#.:self_attn.q_proj* self_attn.k_proj* self_attn.v_proj* self_attn.o_proj )"
                R"(mlp.gate_proj mlp.up_proj mlp.down_proj input_layernorm post_attention_layernorm
model.language_model.norm score*)"),
       {58, 57, 56, 53, 52, 51, 55, 50, 49, 48, 47, 46, 45, 44, 54, 41, 40, 39, 43, 38,
        37, 36, 35, 34, 33, 32, 42, 30, 29, 28, 27, 25, 26, 24, 23, 22, 21, 15, 16, 20,
        19, 18, 17, 13, 14, 12, 11, 10, 9,  3,  4,  8,  7,  6,  5,  1,  2,  0,  31}},
      {"Qwen2_5_VLModel, text and images",
       R"({"model_type": "qwen2_5_vl", "text_config": {"hidden_size": 32, "intermediate_size": 48,
"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100},
"vision_config": {"depth": 2, "hidden_size": 16, "intermediate_size": 24, "out_hidden_size": 32,
"num_heads": 2, "patch_size": 4, "temporal_patch_size": 2, "spatial_merge_size": 2, "in_channels": 3}})",
       true,
       expanded(R"(model.visual.patch_embed.proj
model.visual.blocks.#.:norm1 norm2 attn.qkv* attn.proj* mlp.gate_proj* mlp.up_proj* mlp.down_proj*
model.visual.merger.:ln_q mlp.0* mlp.2*
model.language_model.embed_tokens
model.language_model.layers.#.:self_attn.q_proj* self_attn.k_proj* self_attn.v_proj* self_attn.o_proj )"
                R"(mlp.gate_proj mlp.up_proj mlp.down_proj input_layernorm post_attention_layernorm
model.language_model.norm score*)"),
       {57, 56, 55, 52, 51, 50, 54, 49, 48, 47, 46, 45, 44, 43, 53, 40, 39, 38, 42, 37,
        36, 35, 34, 33, 32, 31, 41, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 14, 18,
        17, 16, 15, 13, 12, 11, 10, 9,  8,  7,  2,  6,  5,  4,  3,  1,  0,  30}},
  };
  return passes;
}
