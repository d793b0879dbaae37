#include "run_groups.h"

#include <algorithm>

#include "ringside/planner/run_mesh.h"

namespace ringside {
namespace {

// Where the model is not cut over ranks, the data group is of all ranks.
bool is_cut(const Mesh& mesh) { return mesh.size(model_dimensions(mesh)) > 1; }

}  // namespace

RunGroups::RunGroups(World& world, const TrainingConfig& config, const Declaration& declaration)
    : mesh(mesh_of_run(world.size(), config, declaration.shapes())),
      data(world.group("dp", mesh.group(world.rank(), data_dimensions()))),
      common(config.two_groups ? world.group("default", mesh.group(world.rank(), data_dimensions())) : data),
      all(is_cut(mesh) ? world.group("all") : common) {
  const auto over = [&](const char* name, const Dimensions& dimensions) {
    return &world.group(name, mesh.group(world.rank(), dimensions));
  };
  if (!declaration.shared_statistics().empty()) statistics = over("statistics", data_dimensions());
  if (config.replicas > 1)
    inside = over("inside", shard_dimensions()), between = over("between", {"replica"});
  if (!is_cut(mesh)) return;
  model = &world.group(mesh, model_dimensions(mesh));
  copy = config.stage == 0 ? model : &world.group(mesh, copy_dimensions(mesh, config.stage));
}

std::vector<ProcessGroup*> RunGroups::every() const {
  std::vector<ProcessGroup*> every;
  for (ProcessGroup* group : {&data, &common, statistics, inside, between, &all, model, copy})
    if (group != nullptr && std::ranges::count(every, group) == 0) every.push_back(group);
  return every;
}

}  // namespace ringside
