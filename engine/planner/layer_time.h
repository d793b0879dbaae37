// How a mesh' stages share the layers; how long a place of tp computes a layer, and the head, of a
// micro-batch.
//
//   a product of (M, K), (K, N)  2 M N K / (flops x product_share x K / (K + 64)), or its bytes over the
//                                memory's bandwidth where that is longer, and a launch
//   attention, flash             half of 4 b a T T d forward and 2.5 times that backward, at attention_share;
//                                at 0.6 of it where kernels are not fused (PyTorch's FlashAttention-2)
//   attention, plain             its products, and 9 (backward 11) bytes of each weight: softmax, dropout
//   norms, sums, MLP's function  the bytes that have to be read and written
//   an all-reduce of n bytes     2 (t-1)/t n over the link, its hops, and 10 us
//
// On an H200 the products of layers of h = 1,024 to 16,384, cut over tp = 1 to 8, at 2,048 to 8,192 tokens
// are 3 % off by this (the median of 864; demos/gpu/rates.py); where h / tp is 256 and less it is up to twice
// as fast as measured. Every constant is here or in mesh_plan.h, the same for all models, meshes and batches.
#pragma once

#include <algorithm>

#include "ringside/pipeline/schedule.h"
#include "ringside/planner/mesh_plan.h"

namespace ringside::inline planner {

double product_seconds(const GpuFacts& gpu, double M, double N, double K, double copies = 1,
                       double output_bytes = 2);
double memory_seconds(const GpuFacts& gpu, double bytes, double kernels = 1);

// Of `bytes` in all, among `ranks` of which `neighbours` share a node.
enum class RingCall : uint8_t { kAllReduce, kReduceScatter, kAllGather };
double ring_seconds(const GpuFacts& gpu, RingCall call, double bytes, int64_t ranks, int64_t neighbours);

struct LayerTime {
  double forward = 0, backward = 0;  // s, of computing; backward without what is computed again
  double weights = 0;                // of backward: products that make weight gradients
  double inputs = 0;                 // of backward: those that make the gradients of what tp gathers
  double scores = 0;                 // of forward: what selective recomputation does again
  double call = 0;                   // one call of tp
};
LayerTime layer_time(const MeshSetup& setup, const MeshShape& shape);
LayerTime head_time(const MeshSetup& setup, const MeshShape& shape);  // with the loss

struct MeshStage {
  int64_t index = 0;
  double layers = 0;
  bool first = false, last = false;
};

// The parts of a step's time (mesh_time.cpp), for the search, which has a layer's time already, and the
// replay. Of one micro-batch on one stage, seconds; calls: what of tp's nothing hides.
struct StageTime {
  double layers = 0, elements = 0;
  double forward = 0, backward = 0, forward_calls = 0, backward_calls = 0;
  double weights = 0;  // of backward: what nobody waits for
  double total() const { return forward + backward + forward_calls + backward_calls; }
};
StageTime stage_time(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage,
                     const LayerTime& layer, const LayerTime& head);
double message_seconds(const MeshSetup& setup, const MeshShape& shape);  // of one message of pp
MeshTime step_time(const MeshSetup& setup, const MeshShape& shape, const LayerTime& layer,
                   const LayerTime& head);

// Backward gathers the inputs of products again, as forward has kept a place's own part alone.
inline bool gathers_again(const MeshSetup& setup, const MeshShape& shape) {
  return shape.sequence && !setup.keeps_gathered;
}

// Whether the layers divide over p v parts, with embedding and head as layers where they must.
inline bool layers_divide(int64_t layers, int64_t parts) {
  return layers >= parts && (layers % parts == 0 || (layers + 2) % parts == 0);
}

inline MeshStage mesh_stage(const MeshSetup& setup, const MeshShape& shape, int64_t index) {
  const int64_t layers = setup.model.layers, parts = shape.pp * shape.chunks;
  MeshStage stage{index, 0, index == 0, index == shape.pp - 1};
  const bool even = layers % parts == 0;
  stage.layers = double((even ? layers : layers + 2) / shape.pp);
  if (!even) stage.layers -= (stage.first ? 1 : 0) + (stage.last ? 1 : 0);
  if (shape.fullest_layers > 0) stage.layers = double(shape.fullest_layers);
  return stage;
}

// Those that can differ: the first, one in the middle, the last.
inline std::vector<MeshStage> unlike_stages(const MeshSetup& setup, const MeshShape& shape) {
  std::vector<MeshStage> stages = {mesh_stage(setup, shape, 0)};
  if (shape.pp > 2) stages.push_back(mesh_stage(setup, shape, 1));
  if (shape.pp > 1) stages.push_back(mesh_stage(setup, shape, shape.pp - 1));
  return stages;
}

// Chunks (of layers / v each) whose activations live at once on a stage: 1F1B keeps p - stage, ZB-H1 at most
// p, interleaved 2 (p - stage - 1) + (v - 1) g + 1 with groups of g (engine/pipeline/interleaved.cpp; where p
// divides m, g is p: arXiv:2205.05198, section 4.2.3).
inline double live_chunks(const MeshShape& shape, int64_t stage, int64_t micro_batches) {
  const int64_t p = shape.pp, v = shape.chunks;
  if (shape.zero_bubble) return double(std::min(p, micro_batches));
  const int64_t group = interleaved_group(int(p), micro_batches);
  const int64_t live = v == 1 ? p - stage : 2 * (p - stage - 1) + (v - 1) * group + 1;
  return double(std::min(live, micro_batches * v));
}

// A tied head is there twice, where the stages of its two ends are not one.
inline double own_head_elements(const MeshSetup& setup, const MeshShape& shape) {
  const MeshModel& model = setup.model;
  return model.tied && shape.pp == 1 ? norm_elements(model) / 2 : head_elements(model, shape.tp);
}

// Elements of the model's parameters that a place of the stage has.
inline double stage_elements(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage) {
  const MeshModel& model = setup.model;
  double elements = stage.layers * layer_elements(model, shape.tp);
  if (stage.first) elements += embedding_elements(model, shape.tp);
  if (stage.last) elements += own_head_elements(setup, shape);
  return elements;
}

}  // namespace ringside::inline planner
