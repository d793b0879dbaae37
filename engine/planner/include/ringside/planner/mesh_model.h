// The sizes of a transformer as a plan of meshes needs them, and what follows from sizes alone: elements of a
// place, operations of a step.
//
//   cut over tp    q, k, v, gate and up by rows, o and down by columns, with the biases of those rows; the
//                  embedding and a language model's head by rows of the vocabulary
//   whole          norms, biases of o and down, learned positions, a classifier's head
#pragma once

#include <cstdint>
#include <string>

#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/model_config.h"

namespace ringside::inline planner {

struct MeshModel {
  std::string name;
  int64_t layers = 1, hidden = 1, heads = 1, kv_heads = 1, head_size = 1, intermediate = 1, vocabulary = 1;
  int64_t classes = 0;      // of a classifier's head, which is not cut; 0: a language model's
  int64_t positions = 0;    // learned ones; 0: rotary
  bool gated = true;        // gate and up (SwiGLU); off: one matrix and GELU
  bool layer_norm = false;  // gain and bias; off: RMS norm
  bool dropout = false;     // behind attention, its product and the MLP
  bool qkv_bias = false, o_bias = false, mlp_bias = false, head_bias = false;
  bool tied = false;  // the head is the embedding

  double queries() const { return static_cast<double>(heads * head_size); }
  double keys() const { return static_cast<double>(kv_heads * head_size); }  // as many values
  double parameters() const;
};

MeshModel mesh_model(const ModelConfig& config, const std::string& name);  // its text; without a vision tower
MeshModel mesh_model(const ClassifierConfig& config);
// Megatron-LM's GPT: biases, GELU of 4 h, layer norm, dropout, learned positions, a tied head.
MeshModel gpt_model(const std::string& name, int64_t layers, int64_t hidden, int64_t heads,
                    int64_t vocabulary, int64_t positions);

// Elements that one of tp places has.
double layer_elements(const MeshModel& model, int64_t tp);
double norm_elements(const MeshModel& model);  // of a layer's two
double embedding_elements(const MeshModel& model, int64_t tp);
double head_elements(const MeshModel& model,
                     int64_t tp);  // with the last norm; a tied head has its matrix too

// Operations (multiplications and additions) of one token's forward: of a layer's products, of its attention
// over so many tokens (in full, as Megatron-LM counts it, also where a mask hides half), of the head. A step
// has three times as many; for GPT that is 72 B s l h^2 (1 + s / 6h + V / 12lh), arXiv:2104.04473
// section 5.1.
double product_flops(const MeshModel& model);
double attention_flops(const MeshModel& model, double tokens);
double head_flops(const MeshModel& model);
double step_flops(const MeshModel& model, double batch, double tokens);

}  // namespace ringside::inline planner
