#include "ringside/zero/stage3.h"

#include "ringside/tensor/memory_hook.h"

namespace ringside {

ZeroStage3::ZeroStage3(ParameterSet& parameters, ProcessGroup& group, const Optimizer& optimizer,
                       const Distribution& options, Recorder* recorder)
    : ZeroStage2(parameters, group, optimizer, options, recorder,
                 {.optimizer = true, .gradients = true, .parameters = true}),
      units_(static_cast<size_t>(parameters.units)) {
  for (BucketStorage& bucket : buckets_) unit(bucket.layout.unit).buckets.push_back(&bucket);
  for (const ParameterShape& shape : parameters.shapes) {
    ++(shape.trainable ? unit(shape.unit).trainable : unit(shape.unit).frozen);
  }
  while (first_trainable_ < parameters.units && unit(first_trainable_).trainable == 0) ++first_trainable_;
}

void ZeroStage3::launch_gather(int index) {
  Unit& u = unit(index);
  if (u.launched) return;
  u.launched = true;
  const std::string& name = parameters_.unit_names[static_cast<size_t>(index)];
  if (recorder_ != nullptr) recorder_->note("gather", step_, name);
  MemoryScope scope(Category::kParameters, name, "gathered");
  for (BucketStorage* bucket : u.buckets) {
    allocate_storage(bucket->parameters, bucket->layout.padded * bucket->parameters.element_size());
    const View whole{bucket->parameters.data_ptr(), bucket->layout.padded, dtype_of(bucket->parameters)};
    bucket->gather_work = group_.all_gather(view_of(bucket->parameter_shard), whole, {purpose_, name});
  }
}

void ZeroStage3::gather(int index) {
  launch_gather(index);
  for (BucketStorage* bucket : unit(index).buckets) wait(bucket->gather_work, "wait for parameters");
}

void ZeroStage3::drop(int index) {
  Unit& u = unit(index);
  if (!u.launched) return;
  u.launched = false;
  for (BucketStorage* bucket : u.buckets) {
    wait(bucket->gather_work, "wait for parameters");
    free_storage(bucket->parameters);
  }
  if (recorder_ != nullptr)
    recorder_->note("drop", step_, parameters_.unit_names[static_cast<size_t>(index)]);
}

void ZeroStage3::before_forward(int index) {
  gather(index);
  if (options_.prefetch && index + 1 < parameters_.units) launch_gather(index + 1);
  Strategy::before_forward(index);
}

at::Tensor ZeroStage3::after_forward(int index, at::Tensor output) {
  at::Tensor result = Strategy::after_forward(index, std::move(output));
  // Only what a gradient comes back to has a backward to be kept for.
  if (options_.reshard || !result.requires_grad()) drop(index);
  Unit& u = unit(index);
  u.waiting = u.trainable;
  return result;
}

void ZeroStage3::before_backward(int index) {
  end_unit_span();
  // The unit above is over. It may hold frozen parameters, whose last use no gradient announces, and
  // parameters that got no gradient on this rank alone: its reductions must not come after our gather.
  if (index + 1 < parameters_.units) drop(index + 1);
  reduce_ready(index + 1);
  gather(index);
  if (options_.prefetch && index - 1 >= first_trainable_) launch_gather(index - 1);
  Strategy::before_backward(index);
}

void ZeroStage3::gradient_arrived(size_t parameter) {
  ZeroStage2::gradient_arrived(parameter);
  const int index = parameters_.shapes[parameter].unit;
  Unit& u = unit(index);
  if (--u.waiting == 0 && u.frozen == 0) drop(index);
}

void ZeroStage3::after_backward() {
  for (int index = 0; index < parameters_.units; ++index) drop(index);
}

void ZeroStage3::visit_parameters(const std::function<void(size_t, const at::Tensor&)>& visit) {
  const std::string before = std::exchange(purpose_, "export");
  for (int index = 0; index < parameters_.units; ++index) {
    gather(index);
    for (size_t p = 0; p < parameters_.shapes.size(); ++p) {
      if (parameters_.shapes[p].unit == index) visit(p, parameters_.leaves[p]);
    }
    drop(index);
  }
  purpose_ = before;
}

}  // namespace ringside
