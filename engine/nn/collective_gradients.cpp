#include "ringside/nn/collective_gradients.h"

#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/passage.h"

namespace ringside::inline nn {
namespace {

Tag of_gradients(const Tag& tag) { return {tag.what + " gradients", tag.unit}; }

std::vector<int64_t> shape_of_rows(const at::Tensor& x, int64_t rows) {
  std::vector<int64_t> shape = x.sizes().vec();
  shape.at(0) = rows;
  return shape;
}

}  // namespace

at::Tensor all_rows(const at::Tensor& x, ProcessGroup& group, const Tag& tag) {
  const at::Tensor own = x.detach().contiguous();
  const at::Tensor all = at::empty(shape_of_rows(x, group.size() * x.size(0)), own.options());
  group.all_gather(view_of(own), view_of(all), tag)->wait();
  return all;
}

at::Tensor own_sum(const at::Tensor& dy, ProcessGroup& group, const Tag& tag) {
  const at::Tensor all = dy.contiguous();
  const at::Tensor own = at::empty(shape_of_rows(dy, dy.size(0) / group.size()), all.options());
  group.reduce_scatter(view_of(all), view_of(own), tag)->wait();
  return own;
}

at::Tensor whole_sum(const at::Tensor& x, ProcessGroup& group, const Tag& tag) {
  at::Tensor sum = x.detach().clone(at::MemoryFormat::Contiguous);
  group.all_reduce_now(view_of(sum), tag);
  return sum;
}

at::Tensor gather_rows(const at::Tensor& x, ProcessGroup& group, GatherBackward backward, const Tag& tag) {
  if (backward == GatherBackward::kNone) return all_rows(x, group, tag);
  const auto forward = [&group, tag](const at::Tensor& own) { return all_rows(own, group, tag); };
  if (backward == GatherBackward::kReduceScatter)
    return passage(x, forward, [&group, tag = of_gradients(tag)](const at::Tensor& dy) {
      return own_sum(dy, group, tag);
    });
  return passage(x, forward, [place = group.rank(), n = x.size(0)](const at::Tensor& dy) {
    return dy.narrow(0, place * n, n).contiguous();
  });
}

at::Tensor sum_over_ranks(const at::Tensor& x, ProcessGroup& group, const Tag& tag) {
  return passage(
      x, [&group, tag](const at::Tensor& own) { return whole_sum(own, group, tag); },
      [&group, tag = of_gradients(tag)](const at::Tensor& dy) { return whole_sum(dy, group, tag); });
}

}  // namespace ringside::inline nn
