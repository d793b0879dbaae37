// How a mesh' stages share the layers, and how many micro-batches live on them. Shared by memory and time.
#pragma once

#include <algorithm>

#include "ringside/planner/mesh_plan.h"

namespace ringside::inline planner {

struct MeshStage {
  int64_t index = 0;
  double layers = 0;
  bool first = false, last = false;
};

// Whether the layers divide over p v parts, with embedding and head as layers where they must.
inline bool layers_divide(int64_t layers, int64_t parts) {
  return layers >= parts && (layers % parts == 0 || (layers + 2) % parts == 0);
}

inline MeshStage mesh_stage(const MeshSetup& setup, const MeshShape& shape, int64_t index) {
  const int64_t layers = setup.model.layers, parts = shape.pp * shape.chunks;
  MeshStage stage{index, 0, index == 0, index == shape.pp - 1};
  const bool even = layers % parts == 0;
  stage.layers = static_cast<double>((even ? layers : layers + 2) / shape.pp);
  if (!even) stage.layers -= (stage.first ? 1 : 0) + (stage.last ? 1 : 0);
  if (shape.fullest_layers > 0) stage.layers = static_cast<double>(shape.fullest_layers);
  return stage;
}

// Those that can differ: the first, one in the middle, the last.
inline std::vector<MeshStage> unlike_stages(const MeshSetup& setup, const MeshShape& shape) {
  std::vector<MeshStage> stages = {mesh_stage(setup, shape, 0)};
  if (shape.pp > 2) stages.push_back(mesh_stage(setup, shape, 1));
  if (shape.pp > 1) stages.push_back(mesh_stage(setup, shape, shape.pp - 1));
  return stages;
}

// Parts of the model (of layers / v each) whose activations live at once on a stage: 1F1B keeps p - stage
// micro-batches, ZB-H1 at most p; interleaved 2 (p - stage - 1) + (v - 1) p + 1 chunks (arXiv:2205.05198,
// section 4.2.3).
inline double live_chunks(const MeshShape& shape, int64_t stage, int64_t micro_batches) {
  const int64_t p = shape.pp, v = shape.chunks;
  if (shape.zero_bubble) return static_cast<double>(std::min(p, micro_batches));
  const int64_t live = v == 1 ? p - stage : 2 * (p - stage - 1) + (v - 1) * p + 1;
  return static_cast<double>(std::min(live, micro_batches * v));
}

// Elements of the model's parameters that a place of the stage has; a tied head is there twice, where the
// stages of its two ends are not one.
inline double stage_elements(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage) {
  const MeshModel& model = setup.model;
  double elements = stage.layers * layer_elements(model, shape.tp);
  if (stage.first) elements += embedding_elements(model, shape.tp);
  if (stage.last)
    elements += model.tied && shape.pp == 1 ? norm_elements(model) / 2 : head_elements(model, shape.tp);
  return elements;
}

}  // namespace ringside::inline planner
