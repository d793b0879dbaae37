#include "whole_values.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside::inline training {

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
    const Part its =
        part_of(whole, model_place(groups.mesh, groups.model->ranks()[static_cast<size_t>(place)]));
    for_each_run(its, 0, its.numel(), [&](int64_t in_part, int64_t in_whole, int64_t count) {
      flat.narrow(0, in_whole, count).copy_(all[place].narrow(0, in_part, count));
    });
  }
  return result;
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
