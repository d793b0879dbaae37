// How long one place of tp computes a layer, and the head, for one micro-batch.
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
// as fast as measured. Every constant is here or in gpu_facts.h, the same for all models, meshes and batches.
#pragma once

#include "mesh_stages.h"

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
  double scores = 0;                 // of forward: what selective recomputation does again
  double call = 0;                   // one call of tp
};
LayerTime layer_time(const MeshSetup& setup, const MeshShape& shape);
LayerTime head_time(const MeshSetup& setup, const MeshShape& shape);  // with the loss

// The parts of a step's time (mesh_time.cpp), for the search, which has a layer's time already, and the
// replay.
//
// Of one micro-batch on one stage, seconds; calls: what of tp's nothing hides.
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

}  // namespace ringside::inline planner
