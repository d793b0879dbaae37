#include "ringside/nn/batch_norm.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "ringside/nn/norm.h"
#include "ringside/nn/tensor_view.h"

namespace ringside {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What every element of a batch shares, and who shares it.
struct Shared {
  at::Tensor padding;      // (B, T, 1) bool, true where no real token stands; undefined: nowhere
  at::Tensor mean, scale;  // (H), scale = 1 / sqrt(v + eps)
  double count = 0;        // n
  ProcessGroup* group = nullptr;
  std::string name;
};

at::Tensor zero_at(const at::Tensor& padding, const at::Tensor& t) {
  return padding.defined() ? t.masked_fill(padding, 0) : t;
}

at::Tensor sum_positions(const at::Tensor& t) {  // (..., H) -> (H) fp64
  return t.reshape({-1, t.size(-1)}).sum(0, /*keepdim=*/false, at::kDouble);
}

void add_over_ranks(const at::Tensor& sums, ProcessGroup* group, const Tag& tag) {
  if (group != nullptr) group->all_reduce(view_of(sums), tag)->wait();
}

struct Statistics {
  at::Tensor mean, variance;  // (H) fp64
  double count = 0;
};

Statistics statistics_of(const at::Tensor& x, const at::Tensor& padding, ProcessGroup* group,
                         const Tag& tag) {
  const int64_t width = x.size(-1);
  const int64_t padded = padding.defined() ? padding.sum().item<int64_t>() : 0;
  const at::Tensor count = at::full({1}, static_cast<double>(x.numel() / width - padded), at::kDouble);
  const at::Tensor sums = at::cat({sum_positions(zero_at(padding, x)), count});
  add_over_ranks(sums, group, tag);
  Statistics result;
  result.count = sums[width].item<double>();
  const double divisor = std::max(result.count, 1.0);
  result.mean = sums.narrow(0, 0, width) / divisor;
  const at::Tensor centred = x - result.mean.to(x.scalar_type());
  const at::Tensor squares = sum_positions(zero_at(padding, centred.pow(2)));
  add_over_ranks(squares, group, tag);
  result.variance = squares / divisor;
  return result;
}

void move_running(const BatchNormLayer& layer, const Buffers& buffers, const Statistics& batch) {
  if (batch.count == 0) return;
  const at::Tensor unbiased = batch.variance * (batch.count / std::max(batch.count - 1, 1.0));
  const auto move = [&](at::Tensor running, const at::Tensor& to) {
    running.add_((to - running).to(running.scalar_type()), layer.momentum);
  };
  move(buffers[layer.running_mean], batch.mean);
  move(buffers[layer.running_var], unbiased);
}

struct BatchNorm : torch::autograd::Function<BatchNorm> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const Shared& shared) {
    context->save_for_backward({x, weight, shared.mean, shared.scale, shared.padding});
    context->saved_data["count"] = shared.count;
    context->saved_data["group"] = reinterpret_cast<int64_t>(shared.group);
    context->saved_data["name"] = shared.name;
    const at::Tensor u = (widened(x) - shared.mean) * shared.scale;
    return zero_at(shared.padding, u * widened(weight) + widened(bias)).to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &scale = saved[3],
                     &padding = saved[4];
    auto* group = reinterpret_cast<ProcessGroup*>(context->saved_data["group"].toInt());
    const int64_t width = x.size(-1);
    const at::Tensor dy = zero_at(padding, widened(gradients[0]));
    const at::Tensor u = (widened(x) - mean) * scale;
    const at::Tensor own = at::cat({sum_positions(dy), sum_positions(dy * u)});  // db, dw
    const at::Tensor all = own.clone();
    add_over_ranks(all, group, {"norm statistics backward", context->saved_data["name"].toStringRef()});
    const at::Tensor means =
        (all / std::max(context->saved_data["count"].toDouble(), 1.0)).to(dy.scalar_type());
    const at::Tensor dx =
        (dy - means.narrow(0, 0, width) - u * means.narrow(0, width, width)) * (scale * widened(weight));
    return {zero_at(padding, dx).to(x.scalar_type()), own.narrow(0, width, width).to(weight.scalar_type()),
            own.narrow(0, 0, width).to(weight.scalar_type()), at::Tensor()};
  }
};

}  // namespace

void BatchNormLayer::declare(Declaration& model, const std::string& its_name, int64_t width) {
  name = its_name;
  weight = model.add(name + ".weight", {width});
  bias = model.add(name + ".bias", {width});
  running_mean = model.add_buffer(name + ".running_mean", {width}, 0);
  running_var = model.add_buffer(name + ".running_var", {width}, 1);
}

at::Tensor output_of(const BatchNormLayer& layer, const ParameterSet& set, const Buffers& buffers,
                     const at::Tensor& x, const Context& context) {
  Shared shared;
  if (context.token_mask.defined()) shared.padding = context.token_mask.logical_not().unsqueeze(-1);
  const at::Tensor &weight = set[layer.weight], &bias = set[layer.bias];
  const auto scale_of = [&](const at::Tensor& variance) { return at::rsqrt(variance + layer.eps); };
  if (context.mode == Mode::kEvaluate) {
    const at::Tensor mean = buffers[layer.running_mean], scale = scale_of(buffers[layer.running_var]);
    const at::Tensor y = (widened(x) - mean) * scale * widened(weight) + widened(bias);
    return zero_at(shared.padding, y).to(x.scalar_type());
  }
  {
    const at::NoGradGuard no_grad;
    const at::Tensor wide = widened(x);
    const Statistics batch =
        statistics_of(wide, shared.padding, context.statistics, {"norm statistics", layer.name});
    move_running(layer, buffers, batch);
    shared.mean = batch.mean.to(wide.scalar_type());
    shared.scale = scale_of(batch.variance).to(wide.scalar_type());
    shared.count = batch.count;
  }
  shared.group = context.statistics;
  shared.name = layer.name;
  return BatchNorm::apply(x, weight, bias, shared);
}

}  // namespace ringside
