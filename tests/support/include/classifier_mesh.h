// This engine's classifier as `ringside plan mesh` sees a model.
#pragma once

#include "ringside/planner/mesh_plan.h"

namespace ringside::testing {

inline MeshModel mesh_model(const ClassifierConfig& config) {
  MeshModel model{{}, "classifier"};
  model.layers = config.layers, model.hidden = config.hidden, model.intermediate = config.intermediate;
  model.heads = config.heads, model.kv_heads = config.kv_heads, model.head_size = config.head_size();
  model.vocabulary = config.vocabulary, model.positions = config.learned_positions;
  model.classes = config.tied ? 0 : config.classes, model.head_bias = config.head_bias;
  model.tied = config.tied;
  model.qkv_bias = true;
  model.layer_norm = config.norm == NormKind::kLayer;
  return model;
}

}  // namespace ringside::testing
