#include "ringside/planner/mesh_plan.h"

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline planner {
namespace {

constexpr double kGb = 1e9, kTera = 1e12;
constexpr double kHopInside = 1.5e-6, kHopBetween = 4e-6;  // s; orders of magnitude, as in comm/link_model.h

LinkModel nvlink(double gb_per_s) { return {"nvlink", kHopInside, gb_per_s * kGb}; }
LinkModel network(double gb_per_s) { return {"network", kHopBetween, gb_per_s * kGb}; }

}  // namespace

const std::vector<GpuFacts>& known_gpus() {
  static const std::vector<GpuFacts> gpus = {
      {"v100", "V100 SXM2, 32 GB", 32 * kGb, 125 * kTera, 900 * kGb, 8, nvlink(150), network(6.25), 0.74, 0.3,
       0.75, "data sheet (fp16); DGX-1: 4 cards of 100 Gbit/s for 8 GPUs; shares: an A100's, not measured"},
      {"a100", "A100 SXM, 80 GB", 80 * kGb, 312 * kTera, 2039 * kGb, 8, nvlink(300), network(25), 0.74, 0.6,
       0.75,
       "data sheet; DGX A100: a card of 200 Gbit/s for each GPU; product and memory: so that a layer's "
       "forward takes 7.7 ms, and 7.2 with sequence parallelism, as in arXiv:2205.05198, table 4; attention: "
       "FlashAttention-2, arXiv:2307.08691"},
      {"h100", "H100 SXM, 80 GB", 80 * kGb, 989 * kTera, 3350 * kGb, 8, nvlink(450), network(50), 0.70, 0.39,
       0.70,
       "data sheet; DGX H100: a card of 400 Gbit/s for each GPU; shares: the same chip's, measured on an "
       "H200"},
      {"h200", "H200 SXM, 141 GB", 141 * kGb, 989 * kTera, 4800 * kGb, 8, nvlink(450), network(50), 0.70,
       0.39, 0.62,
       "data sheet; a card of 400 Gbit/s for each GPU; shares measured: demos/gpu/rates.py, torch 2.11"},
      {"b200", "B200 SXM, 180 GB", 180 * kGb, 2250 * kTera, 8000 * kGb, 8, nvlink(900), network(50), 0.70,
       0.39, 0.62, "data sheet; a card of 400 Gbit/s for each GPU; shares: an H200's, not measured"},
  };
  return gpus;
}

GpuFacts gpu_named(const std::string& name) {
  std::string names;
  for (const GpuFacts& gpu : known_gpus()) {
    if (gpu.name == name) return gpu;
    names += (names.empty() ? "" : ", ") + gpu.name;
  }
  throw UsageError("gpu=" + as_typed(name) + ": known are " + names);
}

}  // namespace ringside::inline planner
