// What this engine keeps of one micro-batch between forward and backward, tensor by tensor: what autograd
// saves of the classifier's layers as a language model (nn/layers.h, nn/norm.h, nn/fused.h,
// nn/cut_softmax.h), and what the passes hold (train/stage_passes.h). It walks the declared layers. Beside
// each what the formula of mesh_memory.cpp has for it, so that the two differ by named terms alone.
// notes/plan_mesh.md has the table.
//
// RMS norms before the sub-layers, rotary positions, no dropout, backwards that are not cut in two.
#pragma once

#include <string>
#include <vector>

#include "ringside/planner/tensor_parallel_rows.h"

namespace ringside::inline planner {

struct KeptTensor {
  std::string name;
  int64_t bytes = 0;    // as it is kept, of all layers together
  int64_t formula = 0;  // in mesh_memory.cpp: bf16, eager attention and SwiGLU, gathered inputs kept
};

// Of one place of tp: units [begin, end) of the model, a part of a pipeline or all of it. UsageError for
// another kind of model.
std::vector<KeptTensor> kept_activations(const ClassifierConfig& model, const Distribution& distribution,
                                         InGroup tp, UnitRange units, TokenBlock block);

}  // namespace ringside::inline planner
