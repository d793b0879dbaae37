// How a training is distributed over its ranks: the one place that declares it. The trainer's configuration
// and the planner's setups embed it, the strategies take it; nobody copies its fields.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ringside/base/field.h"

namespace ringside::inline planner {

enum class Precision : uint8_t { kBFloat16, kFloat32 };
enum class ReduceMode : uint8_t { kReduceScatter, kAllReduce };

inline constexpr std::string_view kPrecisionTexts[] = {"bf16", "fp32"};
inline std::span<const std::string_view> texts(Precision) { return kPrecisionTexts; }
inline constexpr std::string_view kReduceModeTexts[] = {"reduce_scatter", "all_reduce"};
inline std::span<const std::string_view> texts(ReduceMode) { return kReduceModeTexts; }

struct Distribution {
  int stage = 0;
  Precision precision = Precision::kBFloat16;
  int64_t accumulate = 1;  // g
  ReduceMode reduce = ReduceMode::kReduceScatter;
  int64_t bucket_elements = int64_t{1} << 18;
  bool overlap = true;
  bool prefetch = true;
  bool reshard = true;
  bool predivide = false;
  double clip_norm = 1.0;
  bool naive = false;
  bool recompute = false;
  bool no_sync = false;
  int64_t replicas = 1;
  std::string mesh{};  // "dp2,tp2"; "": all ranks are data parallel (planner/run_mesh.h)
  bool sequence = false;
  std::string pipeline = "1f1b";  // over pp: a schedule's name, or its actions (pipeline/schedule.h)
  int64_t chunks = 1;             // v, parts of the model that a stage has
  std::string part_layers{};  // "3,5": decoder layers of each part of the model; "": as even as they can be
};

// In the order in which lessons list them as parameters.
template <typename D>
requires std::derived_from<D, Distribution>  // const or not, and what embeds it
void visit_fields(D& d, auto&& visit) {
  visit(Field{"stage", "ZeRO stage; 0: data parallel", "", 0, 3}, d.stage);
  visit(Field{"precision", "bf16 with an fp32 master copy, or fp32 throughout"}, d.precision);
  visit(Field{"accumulate", "g, micro-batches a step", "micro-batches", 1, 1 << 20}, d.accumulate);
  visit(Field{"reduce", "how stages 1 and 2 sum gradients; DeepSpeed's default is all_reduce"}, d.reduce);
  visit(Field{"bucket", "gradients reduced together, at most", "elements", 1, 1 << 30, true},
        d.bucket_elements);
  visit(Field{"overlap", "reduce a bucket while backward goes on"}, d.overlap);
  visit(Field{"prefetch", "stage 3 gathers the next layer while this one computes"}, d.prefetch);
  visit(Field{"reshard", "stage 3 drops a layer's parameters after forward; off keeps them for backward"},
        d.reshard);
  visit(Field{"predivide", "divide gradients by N before they are summed, not after"}, d.predivide);
  visit(Field{"clip_norm", "gradients are scaled down to this norm; 0: not clipped", "", 0, 1e9},
        d.clip_norm);
  visit(Field{"naive", "stage 0: one all-reduce a parameter, after backward"}, d.naive);
  visit(Field{"recompute", "forward keeps a layer's input alone; backward runs the layer's forward again"},
        d.recompute);
  visit(Field{"no_sync",
              "stages 2 and 3 keep whole gradients and reduce them once, after the last micro-batch"},
        d.no_sync);
  visit(Field{"replicas", "groups of ranks that each hold every shard; 1: one group of all ranks", "groups",
              1, 64},
        d.replicas);
  visit(Field{"mesh", "dimensions and their sizes, the last changes fastest from rank to rank; as dp2,tp2"},
        d.mesh);
  visit(Field{"sequence", "between tensor-parallel regions a rank has its own tokens alone"}, d.sequence);
  visit(Field{"pipeline",
              "order of passes over pp: gpipe, 1f1b, interleaved, zb_h1, zb_v, or the actions themselves"},
        d.pipeline);
  visit(Field{"chunks", "v, parts of the model on each stage of pp", "parts", 1, 16}, d.chunks);
  visit(Field{"part_layers", "layers of each part of the model over pp, as 3,5; empty: evenly"},
        d.part_layers);
}

}  // namespace ringside::inline planner
