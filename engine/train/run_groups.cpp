#include "run_groups.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside::inline training {
namespace {

// Where the model is not cut over ranks, the data group is of all ranks.
bool is_cut(const Mesh& mesh) { return mesh.size(model_dimensions(mesh)) > 1; }

// Of a pipeline's stages one has the loss.
ProcessGroup& common_group(World& world, const Mesh& mesh, ProcessGroup& data, bool two_groups) {
  if (!two_groups && mesh.size(kPipeline) == 1) return data;
  return world.group(two_groups ? "default" : "metrics", mesh.group(world.rank(), result_dimensions()));
}

}  // namespace

RunGroups::RunGroups(World& world, const TrainingConfig& config, const Declaration& declaration)
    : mesh(mesh_of_run(world.size(), config, declaration.shapes())),
      data(world.group("dp", mesh.group(world.rank(), data_dimensions()))),
      common(common_group(world, mesh, data, config.two_groups)),
      all(is_cut(mesh) ? world.group("all") : common) {
  const auto over = [&](const char* name, const Dimensions& dimensions) {
    return &world.group(name, mesh.group(world.rank(), dimensions));
  };
  if (!declaration.shared_statistics().empty()) statistics = over("statistics", data_dimensions());
  if (config.replicas > 1)
    inside = over("inside", shard_dimensions()), between = over("between", {"replica"});
  if (!config.checkpoint.folder.empty() && config.checkpoint.asynchronous) writers = &world.group("writers");
  site = {world.rank(), model_place(mesh, world.rank()), {}, config.device};
  for (const std::string_view one : model_dimensions(mesh))
    site.groups.push_back(mesh.size(one) > 1 ? &world.group(mesh, {one}) : nullptr);
  if (!is_cut(mesh)) return;
  model = &world.group(mesh, model_dimensions(mesh));
  if (const std::vector<int> ranks = ranks_that_tie(mesh, world.rank(), declaration.shapes()); !ranks.empty())
    tied = &world.group("tied", ranks);
  copy = config.stage == 0 ? model : &world.group(mesh, copy_dimensions(mesh, config.stage));
}

std::vector<ProcessGroup*> RunGroups::every() const {
  std::vector<ProcessGroup*> every, made = {&data, &common, statistics, inside, between, &all};
  made.insert(made.end(), site.groups.begin(), site.groups.end());
  made.insert(made.end(), {model, copy, tied, writers});
  for (ProcessGroup* group : made)
    if (group != nullptr && std::ranges::count(every, group) == 0) every.push_back(group);
  return every;
}

at::Tensor whole_of(const at::Tensor& part, const ParameterShape& whole, const RunGroups& groups) {
  const MemoryScope scope(Category::kBuffers, "", "whole parameter");
  const int64_t length = longest_part(whole, groups.mesh);
  at::Tensor own = at::zeros({length}, part.options().requires_grad(false));
  own.narrow(0, 0, part.numel()).copy_(part.detach().flatten());
  const at::Tensor all = at::empty({groups.model->size(), length}, own.options());
  groups.model->all_gather(view_of(own), view_of(all), {kWholeParameters, whole.name})->wait();
  at::Tensor result = at::empty(whole.shape, own.options());
  const at::Tensor flat = result.view({-1});
  for (int place = 0; place < groups.model->size(); ++place) {
    const Part its = part_of(whole, model_place(groups.mesh, groups.model->ranks()[size_t(place)]));
    for_each_run(its, 0, its.numel(), [&](int64_t in_part, int64_t in_whole, int64_t count) {
      flat.narrow(0, in_whole, count).copy_(all[place].narrow(0, in_part, count));
    });
  }
  return result;
}

void show(const ParameterObserver& to, int64_t step, size_t index, const std::string& name,
          const at::Tensor& values) {
  const at::Tensor read = on_host(values);
  to(step, index, name, view_of(read));
}

void begin_with(const ConstView& start, const ParameterShape& whole, const Part* part,
                const at::Tensor& out) {
  RINGSIDE_CHECK(start.dtype == Dtype::kFloat32 && start.count == whole.numel(),
                 whole.name << ": the values to start from are of another type or number");
  const at::Tensor all = at::empty(whole.shape, at::kFloat);
  std::copy_n(static_cast<const float*>(start.data), start.count, all.data_ptr<float>());
  if (part != nullptr)
    copy_part(out, all, *part);
  else
    out.copy_(all);
}

}  // namespace ringside::inline training
