// What real backward passes did: names from named_parameters(), and the order in which
// register_post_accumulate_grad_hook fired. Recorded with transformers 5.23.0 on torch 2.15.0, CPU, fp32,
// small random models with a linear head "score" of 5 classes at the last token. Eager and sdpa attention
// gave the same. Each order is written as indices into the names.
#pragma once

#include <vector>

struct RecordedPass {
  const char* what;
  const char* config;
  bool head_bias;
  const char* names;       // separated by blanks
  std::vector<int> order;  // into names
};

inline const std::vector<RecordedPass>& recorded_passes() {
  static const std::vector<RecordedPass> passes = {
      {"Qwen2Model",
       R"({"model_type": "qwen2", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100})",
       true,
       R"(model.embed_tokens.weight model.layers.0.self_attn.q_proj.weight model.layers.0.self_attn.q_proj.bias
model.layers.0.self_attn.k_proj.weight model.layers.0.self_attn.k_proj.bias
model.layers.0.self_attn.v_proj.weight model.layers.0.self_attn.v_proj.bias
model.layers.0.self_attn.o_proj.weight model.layers.0.mlp.gate_proj.weight
model.layers.0.mlp.up_proj.weight model.layers.0.mlp.down_proj.weight
model.layers.0.input_layernorm.weight model.layers.0.post_attention_layernorm.weight
model.layers.1.self_attn.q_proj.weight model.layers.1.self_attn.q_proj.bias
model.layers.1.self_attn.k_proj.weight model.layers.1.self_attn.k_proj.bias
model.layers.1.self_attn.v_proj.weight model.layers.1.self_attn.v_proj.bias
model.layers.1.self_attn.o_proj.weight model.layers.1.mlp.gate_proj.weight
model.layers.1.mlp.up_proj.weight model.layers.1.mlp.down_proj.weight
model.layers.1.input_layernorm.weight model.layers.1.post_attention_layernorm.weight model.norm.weight
score.weight score.bias)",
       {27, 26, 25, 22, 21, 20, 24, 19, 18, 17, 16, 15, 14, 13,
        23, 10, 9,  8,  12, 7,  6,  5,  4,  3,  2,  1,  11, 0}},
      {"LlamaModel",
       R"({"model_type": "llama", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100})",
       false,
       R"(model.embed_tokens.weight model.layers.0.self_attn.q_proj.weight model.layers.0.self_attn.k_proj.weight
model.layers.0.self_attn.v_proj.weight model.layers.0.self_attn.o_proj.weight
model.layers.0.mlp.gate_proj.weight model.layers.0.mlp.up_proj.weight
model.layers.0.mlp.down_proj.weight model.layers.0.input_layernorm.weight
model.layers.0.post_attention_layernorm.weight model.layers.1.self_attn.q_proj.weight
model.layers.1.self_attn.k_proj.weight model.layers.1.self_attn.v_proj.weight
model.layers.1.self_attn.o_proj.weight model.layers.1.mlp.gate_proj.weight
model.layers.1.mlp.up_proj.weight model.layers.1.mlp.down_proj.weight
model.layers.1.input_layernorm.weight model.layers.1.post_attention_layernorm.weight model.norm.weight
score.weight)",
       {20, 19, 16, 15, 14, 18, 13, 12, 11, 10, 17, 7, 6, 5, 9, 4, 3, 2, 1, 8, 0}},
      {"LlamaModel with attention_bias and mlp_bias",
       R"({"model_type": "llama", "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "attention_bias": true,
"mlp_bias": true})",
       false,
       R"(model.embed_tokens.weight model.layers.0.self_attn.q_proj.weight model.layers.0.self_attn.q_proj.bias
model.layers.0.self_attn.k_proj.weight model.layers.0.self_attn.k_proj.bias
model.layers.0.self_attn.v_proj.weight model.layers.0.self_attn.v_proj.bias
model.layers.0.self_attn.o_proj.weight model.layers.0.self_attn.o_proj.bias
model.layers.0.mlp.gate_proj.weight model.layers.0.mlp.gate_proj.bias model.layers.0.mlp.up_proj.weight
model.layers.0.mlp.up_proj.bias model.layers.0.mlp.down_proj.weight model.layers.0.mlp.down_proj.bias
model.layers.0.input_layernorm.weight model.layers.0.post_attention_layernorm.weight
model.layers.1.self_attn.q_proj.weight model.layers.1.self_attn.q_proj.bias
model.layers.1.self_attn.k_proj.weight model.layers.1.self_attn.k_proj.bias
model.layers.1.self_attn.v_proj.weight model.layers.1.self_attn.v_proj.bias
model.layers.1.self_attn.o_proj.weight model.layers.1.self_attn.o_proj.bias
model.layers.1.mlp.gate_proj.weight model.layers.1.mlp.gate_proj.bias model.layers.1.mlp.up_proj.weight
model.layers.1.mlp.up_proj.bias model.layers.1.mlp.down_proj.weight model.layers.1.mlp.down_proj.bias
model.layers.1.input_layernorm.weight model.layers.1.post_attention_layernorm.weight model.norm.weight
score.weight)",
       {34, 33, 30, 29, 28, 27, 26, 25, 32, 24, 23, 22, 21, 20, 19, 18, 17, 31,
        14, 13, 12, 11, 10, 9,  16, 8,  7,  6,  5,  4,  3,  2,  1,  15, 0}},
      {"Qwen2VLModel, text and images",
       R"({"model_type": "qwen2_vl", "text_config": {"hidden_size": 32, "intermediate_size": 48,
"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100},
"vision_config": {"depth": 2, "embed_dim": 16, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 2,
"patch_size": 4, "temporal_patch_size": 2, "spatial_merge_size": 2, "in_channels": 3}})",
       true,
       R"(model.visual.patch_embed.proj.weight model.visual.blocks.0.norm1.weight model.visual.blocks.0.norm1.bias
model.visual.blocks.0.norm2.weight model.visual.blocks.0.norm2.bias
model.visual.blocks.0.attn.qkv.weight model.visual.blocks.0.attn.qkv.bias
model.visual.blocks.0.attn.proj.weight model.visual.blocks.0.attn.proj.bias
model.visual.blocks.0.mlp.fc1.weight model.visual.blocks.0.mlp.fc1.bias
model.visual.blocks.0.mlp.fc2.weight model.visual.blocks.0.mlp.fc2.bias
model.visual.blocks.1.norm1.weight model.visual.blocks.1.norm1.bias model.visual.blocks.1.norm2.weight
model.visual.blocks.1.norm2.bias model.visual.blocks.1.attn.qkv.weight
model.visual.blocks.1.attn.qkv.bias model.visual.blocks.1.attn.proj.weight
model.visual.blocks.1.attn.proj.bias model.visual.blocks.1.mlp.fc1.weight
model.visual.blocks.1.mlp.fc1.bias model.visual.blocks.1.mlp.fc2.weight
model.visual.blocks.1.mlp.fc2.bias model.visual.merger.ln_q.weight model.visual.merger.ln_q.bias
model.visual.merger.mlp.0.weight model.visual.merger.mlp.0.bias model.visual.merger.mlp.2.weight
model.visual.merger.mlp.2.bias model.language_model.embed_tokens.weight
model.language_model.layers.0.self_attn.q_proj.weight
model.language_model.layers.0.self_attn.q_proj.bias
model.language_model.layers.0.self_attn.k_proj.weight
model.language_model.layers.0.self_attn.k_proj.bias
model.language_model.layers.0.self_attn.v_proj.weight
model.language_model.layers.0.self_attn.v_proj.bias
model.language_model.layers.0.self_attn.o_proj.weight model.language_model.layers.0.mlp.gate_proj.weight
model.language_model.layers.0.mlp.up_proj.weight model.language_model.layers.0.mlp.down_proj.weight
model.language_model.layers.0.input_layernorm.weight
model.language_model.layers.0.post_attention_layernorm.weight
model.language_model.layers.1.self_attn.q_proj.weight
model.language_model.layers.1.self_attn.q_proj.bias
model.language_model.layers.1.self_attn.k_proj.weight
model.language_model.layers.1.self_attn.k_proj.bias
model.language_model.layers.1.self_attn.v_proj.weight
model.language_model.layers.1.self_attn.v_proj.bias
model.language_model.layers.1.self_attn.o_proj.weight model.language_model.layers.1.mlp.gate_proj.weight
model.language_model.layers.1.mlp.up_proj.weight model.language_model.layers.1.mlp.down_proj.weight
model.language_model.layers.1.input_layernorm.weight
model.language_model.layers.1.post_attention_layernorm.weight model.language_model.norm.weight
score.weight score.bias)",
       {58, 57, 56, 53, 52, 51, 55, 50, 49, 48, 47, 46, 45, 44, 54, 41, 40, 39, 43, 38,
        37, 36, 35, 34, 33, 32, 42, 30, 29, 28, 27, 25, 26, 24, 23, 22, 21, 15, 16, 20,
        19, 18, 17, 13, 14, 12, 11, 10, 9,  3,  4,  8,  7,  6,  5,  1,  2,  0,  31}},
      {"Qwen2_5_VLModel, text and images",
       R"({"model_type": "qwen2_5_vl", "text_config": {"hidden_size": 32, "intermediate_size": 48,
"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100},
"vision_config": {"depth": 2, "hidden_size": 16, "intermediate_size": 24, "out_hidden_size": 32,
"num_heads": 2, "patch_size": 4, "temporal_patch_size": 2, "spatial_merge_size": 2, "in_channels": 3}})",
       true,
       R"(model.visual.patch_embed.proj.weight model.visual.blocks.0.norm1.weight
model.visual.blocks.0.norm2.weight model.visual.blocks.0.attn.qkv.weight
model.visual.blocks.0.attn.qkv.bias model.visual.blocks.0.attn.proj.weight
model.visual.blocks.0.attn.proj.bias model.visual.blocks.0.mlp.gate_proj.weight
model.visual.blocks.0.mlp.gate_proj.bias model.visual.blocks.0.mlp.up_proj.weight
model.visual.blocks.0.mlp.up_proj.bias model.visual.blocks.0.mlp.down_proj.weight
model.visual.blocks.0.mlp.down_proj.bias model.visual.blocks.1.norm1.weight
model.visual.blocks.1.norm2.weight model.visual.blocks.1.attn.qkv.weight
model.visual.blocks.1.attn.qkv.bias model.visual.blocks.1.attn.proj.weight
model.visual.blocks.1.attn.proj.bias model.visual.blocks.1.mlp.gate_proj.weight
model.visual.blocks.1.mlp.gate_proj.bias model.visual.blocks.1.mlp.up_proj.weight
model.visual.blocks.1.mlp.up_proj.bias model.visual.blocks.1.mlp.down_proj.weight
model.visual.blocks.1.mlp.down_proj.bias model.visual.merger.ln_q.weight
model.visual.merger.mlp.0.weight model.visual.merger.mlp.0.bias model.visual.merger.mlp.2.weight
model.visual.merger.mlp.2.bias model.language_model.embed_tokens.weight
model.language_model.layers.0.self_attn.q_proj.weight
model.language_model.layers.0.self_attn.q_proj.bias
model.language_model.layers.0.self_attn.k_proj.weight
model.language_model.layers.0.self_attn.k_proj.bias
model.language_model.layers.0.self_attn.v_proj.weight
model.language_model.layers.0.self_attn.v_proj.bias
model.language_model.layers.0.self_attn.o_proj.weight model.language_model.layers.0.mlp.gate_proj.weight
model.language_model.layers.0.mlp.up_proj.weight model.language_model.layers.0.mlp.down_proj.weight
model.language_model.layers.0.input_layernorm.weight
model.language_model.layers.0.post_attention_layernorm.weight
model.language_model.layers.1.self_attn.q_proj.weight
model.language_model.layers.1.self_attn.q_proj.bias
model.language_model.layers.1.self_attn.k_proj.weight
model.language_model.layers.1.self_attn.k_proj.bias
model.language_model.layers.1.self_attn.v_proj.weight
model.language_model.layers.1.self_attn.v_proj.bias
model.language_model.layers.1.self_attn.o_proj.weight model.language_model.layers.1.mlp.gate_proj.weight
model.language_model.layers.1.mlp.up_proj.weight model.language_model.layers.1.mlp.down_proj.weight
model.language_model.layers.1.input_layernorm.weight
model.language_model.layers.1.post_attention_layernorm.weight model.language_model.norm.weight
score.weight score.bias)",
       {57, 56, 55, 52, 51, 50, 54, 49, 48, 47, 46, 45, 44, 43, 53, 40, 39, 38, 42, 37,
        36, 35, 34, 33, 32, 31, 41, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 14, 18,
        17, 16, 15, 13, 12, 11, 10, 9,  8,  7,  2,  6,  5,  4,  3,  1,  0,  30}},
  };
  return passes;
}
