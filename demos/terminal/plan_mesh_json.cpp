// The document of `ringside plan mesh`.
#include <ostream>

#include "plan_mesh.h"

namespace ringside {
namespace {

Json shape_json(const MeshSetup& setup, const MeshShape& shape) {
  return {{"dp", shape.dp},
          {"tp", shape.tp},
          {"pp", shape.pp},
          {"chunks", shape.chunks},
          {"schedule", shape.zero_bubble  ? "zb_h1"
                       : shape.chunks > 1 ? "interleaved"
                                          : "1f1b"},
          {"micro", shape.micro},
          {"micro_batches", shape.micro_batches(setup.batch)},
          {"stage", shape.stage},
          {"sequence_parallel", shape.sequence},
          {"recompute", to_string(shape.recompute)}};
}

Json row_json(const MeshSetup& setup, const MeshRow& row) {
  const MeshMemory& memory = row.memory;
  const MeshTime& time = row.time;
  Json json = shape_json(setup, row.shape);
  json["seconds"] = time.total();
  json["mfu"] = row.utilization;
  json["memory_bytes"] = {
      {"parameters", memory.parameters},   {"gradients", memory.gradients}, {"optimizer", memory.optimizer},
      {"activations", memory.activations}, {"logits", memory.logits},       {"gathered", memory.gathered},
      {"staged", memory.staged},           {"context", memory.context},     {"total", memory.total()}};
  json["sent_bytes"] = {{"tp", row.traffic.tensor}, {"pp", row.traffic.pipeline}, {"dp", row.traffic.data}};
  json["seconds_of"] = {{"compute", time.compute}, {"tp", time.tensor}, {"bubble", time.bubble},
                        {"pp", time.messages},     {"dp", time.data},   {"update", time.update}};
  return json;
}

Json setup_json(const MeshSetup& setup) {
  const MeshModel& model = setup.model;
  const GpuFacts& gpu = setup.gpu;
  return {{"model", model.name},
          {"parameters", model.parameters()},
          {"ranks", setup.ranks},
          {"batch", setup.batch},
          {"sequence", setup.tokens},
          {"attention", to_string(setup.attention)},
          {"kernels", setup.fused ? "fused" : "eager"},
          {"gradient_bytes", setup.gradient_bytes},
          {"gpu",
           {{"name", gpu.name},
            {"memory_bytes", gpu.memory_bytes},
            {"flops", gpu.flops},
            {"memory_bytes_per_s", gpu.memory_bytes_per_s},
            {"node", gpu.node_ranks},
            {"inside_bytes_per_s", gpu.inside.bytes_per_s},
            {"between_bytes_per_s", gpu.between.bytes_per_s},
            {"source", gpu.source}}}};
}

}  // namespace

void mesh_json(const MeshSetup& setup, const MeshPlan& plan, std::ostream& out) {
  const auto row = [&](const MeshRow& best) { return row_json(setup, best); };
  write_json({{"schema", kJsonSchema},
              {"plan", "mesh"},
              {"setup", setup_json(setup)},
              {"meshes", plan.meshes},
              {"settings", plan.settings},
              {"fitting", plan.fitting},
              {"best", array_of(plan.best, row)},
              {"refused", array_of(plan.refusals,
                                   [](const MeshRefusal& refusal) {
                                     return Json{{"count", refusal.count}, {"reason", refusal.reason}};
                                   })}},
             out);
}

}  // namespace ringside
