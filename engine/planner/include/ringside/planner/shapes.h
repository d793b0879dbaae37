// Shapes only: what a model's parameters are, without any of them existing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ringside/planner/norm_layer.h"

namespace ringside {

// A sequence classifier in the shape of Qwen2ForSequenceClassification.
struct ClassifierConfig {
  int64_t vocabulary = 299;  // V
  int64_t hidden = 128;      // H
  int64_t heads = 4;
  int64_t kv_heads = 2;
  int64_t intermediate = 528;  // I
  int64_t layers = 4;          // L
  int64_t classes = 4;         // C
  bool head_bias = false;
  bool freeze_embedding = false;
  NormKind norm = NormKind::kRms;
  double norm_eps = 1e-6;
  double rope_theta = 10000.0;
  int64_t head_size() const { return hidden / heads; }
  int units() const { return static_cast<int>(layers) + 2; }
};

// As classifier_layers.h declares them. UsageError where sizes do not divide.
std::vector<ParameterShape> classifier_shapes(const ClassifierConfig& config);
std::string unit_name(int unit, int64_t layers);  // "embedding", "layer 0", ..., "head"
int64_t count_parameters(const std::vector<ParameterShape>& shapes);
int64_t count_trainable(const std::vector<ParameterShape>& shapes);

}  // namespace ringside
