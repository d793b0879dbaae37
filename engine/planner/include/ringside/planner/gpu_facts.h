// What a GPU can do, as far as a plan needs it: facts of its data sheet, and a few shares of them that
// programs reach. A share is one number for all sizes of model, batch and mesh; none belongs to a published
// run.
//
//   product_share    of flops, in a large matrix product of bf16; what flatter ones lose is layer_time.h's
//   attention_share  of flops, in flash attention, forward and backward, counting the products under the
//                    causal mask alone
//   memory_share     of the memory's bandwidth, over the passes of a layer that are bound by it
//   inside           one direction of a GPU's NVLinks; NCCL's protocol leaves 370 of an H100's 450 GB/s
//                    (github.com/NVIDIA/nccl-tests, issue 212), which is taken for all of them
//   between          one network card a GPU; 96 of 100 GB/s (issue 119 there), less headers
#pragma once

#include <string>
#include <vector>

#include "ringside/comm/link_model.h"

namespace ringside::inline planner {

inline constexpr double kInsideShare = 370.0 / 450;
inline constexpr double kBetweenShare = 0.92;
inline constexpr double kKernelLaunch = 4e-6;  // s, the least that a kernel costs

struct GpuFacts {
  std::string name;   // "h100"
  std::string title;  // "H100 SXM, 80 GB"
  // As its name says it, GB of 10^9. A driver shows 7 % more (85.5e9 on an H100 of 80 GB): that is left to
  // the gaps of an allocator.
  double memory_bytes = 0;
  double flops = 0;               // dense bf16 (V100: fp16) operations a second
  double memory_bytes_per_s = 0;  // of the data sheet
  int node_ranks = 8;             // GPUs that NVLink joins
  LinkModel inside{}, between{};  // of the data sheet, one direction
  double product_share = 0.7, attention_share = 0.4, memory_share = 0.75;
  std::string source;  // where the facts are from, and whether the shares were measured
};

const std::vector<GpuFacts>& known_gpus();
// UsageError naming those that are known.
GpuFacts gpu_named(const std::string& name);

}  // namespace ringside::inline planner
