// What `ringside plan mesh` takes.
#include <algorithm>

#include "plan_options.h"
#include "ringside/planner/mesh_plan.h"

namespace ringside {
namespace {

constexpr double kMostSize = 1 << 24;

ParameterSpec size(const char* name, const char* meaning, const char* otherwise) {
  return {name, meaning, "", ParameterKind::kInteger, otherwise, 0, kMostSize};
}
ParameterSpec amount(const char* name, const char* meaning) {
  return {name, meaning, "", ParameterKind::kReal, "0", 0, 1e6};
}
ParameterSpec one_of(const char* name, const char* meaning, const std::vector<std::string>& choices) {
  return {name, meaning, "", ParameterKind::kChoice, choices.front(), 0, 0, choices};
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names = {"h100"};
  for (const GpuFacts& gpu : known_gpus())
    if (gpu.name != names.front()) names.push_back(gpu.name);
  return names;
}

}  // namespace

const std::vector<ParameterSpec>& mesh_parameters() {
  using Kind = ParameterKind;
  static const std::vector<ParameterSpec> parameters = {
      {"ranks", "N, GPUs", "", Kind::kInteger, "64", 1, kMostPlannedRanks},
      one_of("stage", "ZeRO stage", {"all", "0", "1", "2", "3"}),
      one_of("gpu", "mesh: the GPU, as engine/planner/gpu_facts.cpp knows it", gpu_names()),
      amount("memory", "of a GPU, GB; 0: zero 80, mesh as known"),
      amount("flops", "mesh: of a GPU in bf16, TFLOP/s; 0: as known"),
      size("node", "mesh: GPUs that NVLink joins; 0: as known", "0"),
      amount("inside", "mesh: a GPU's link in its node, one direction, GB/s; 0: as known"),
      amount("between", "mesh: a GPU's link between nodes, GB/s; 0: as known"),
      {"batch", "mesh: sequences of a step", "", Kind::kInteger, "1024", 1, kMostSize},
      {"sequence", "mesh: tokens of a sequence", "", Kind::kInteger, "4096", 1, kMostSize},
      size("hidden", "mesh: of a model without --config", "0"),
      size("layers", "mesh: the same", "0"),
      size("heads", "mesh: the same", "0"),
      size("kv_heads", "mesh: the same; 0: as many as heads", "0"),
      size("intermediate", "mesh: the same; 0: 4 hidden", "0"),
      size("vocabulary", "mesh: the same", "51200"),
      one_of("mlp", "mesh: the same; gelu: as Megatron-LM's GPT", {"gelu", "swiglu"}),
      one_of("attention", "mesh: never has its weights whole (flash), or keeps them (plain)",
             {"flash", "plain"}),
      one_of("kernels", "mesh: keep what backward needs (fused), or every result (eager)",
             {"fused", "eager"}),
      one_of("gradients", "mesh: what they are added up in", {"fp32", "bf16"}),
      one_of("recompute", "mesh: what backward computes again", {"all", "none", "selective", "full"}),
      one_of("schedule", "mesh: over pp", {"1f1b", "zb_h1"}),
      size("tp", "mesh: this one alone; 0: all", "0"),
      size("pp", "mesh: this one alone; 0: all", "0"),
      size("chunks", "mesh: v, this one alone; 0: 1 to 8", "0"),
      size("micro", "mesh: b, sequences of a micro-batch, this one alone; 0: 1, 2, 4, ... 32", "0"),
  };
  return parameters;
}

std::vector<ParameterSpec> valued_plan_options() {
  std::vector<ParameterSpec> all = plan_parameters();
  for (const ParameterSpec& spec : mesh_parameters())
    if (std::ranges::find(all, spec.name, &ParameterSpec::name) == all.end()) all.push_back(spec);
  return all;
}

}  // namespace ringside
