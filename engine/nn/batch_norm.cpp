#include "ringside/nn/batch_norm.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "ringside/nn/norm.h"

namespace ringside::inline nn {
namespace {

void move_running(const BatchNormLayer& layer, const Buffers& buffers, const BatchStatistics& batch) {
  const at::NoGradGuard no_grad;
  if (batch.count == 0) return;
  const at::Tensor unbiased = batch.variance * (batch.count / std::max(batch.count - 1, 1.0));
  const auto move = [&](at::Tensor running, const at::Tensor& to) {
    running.add_((to - running).to(running.scalar_type()), layer.momentum);
  };
  move(buffers[layer.running_mean], batch.mean);
  move(buffers[layer.running_var], unbiased);
}

at::Tensor by_running(const BatchNormLayer& layer, const Leaves& leaves, const Buffers& buffers,
                      const at::Tensor& x, const at::Tensor& real) {
  const at::Tensor scale = at::rsqrt(buffers[layer.running_var] + layer.eps);
  const at::Tensor u = (widened(x) - buffers[layer.running_mean]) * scale;
  const at::Tensor y = (u * widened(leaves(layer.weight)) + widened(leaves(layer.bias))).to(x.scalar_type());
  return real.defined() ? y.masked_fill(real.logical_not().unsqueeze(-1), 0) : y;
}

}  // namespace

at::Tensor output_of(const BatchNormLayer& layer, const Leaves& leaves, const Buffers& buffers,
                     const at::Tensor& x, const Context& context) {
  if (context.mode == Mode::kEvaluate) return by_running(layer, leaves, buffers, x, context.token_mask);
  KeptStatistics* const kept = context.kept;
  const bool again = kept != nullptr && kept->again;
  BatchStatistics batch = again ? kept->taken.at(kept->used++) : BatchStatistics();
  const at::Tensor y = train_batch_norm(x, leaves(layer.weight), leaves(layer.bias), layer.eps,
                                        context.token_mask, context.statistics, layer.name, batch);
  if (!again) move_running(layer, buffers, batch);
  if (kept != nullptr && !again) kept->taken.push_back(batch);
  return y;
}

}  // namespace ringside::inline nn
