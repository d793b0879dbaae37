#include "ringside/nn/batch.h"

#include <algorithm>

#include "ringside/nn/task.h"

namespace ringside::inline nn {
namespace {

at::Tensor is_real(const Batch& batch) {  // (B, T) bool
  const at::Tensor positions = at::arange(batch.tokens.size(1), batch.last.options()).unsqueeze(0);
  const at::Tensor real = positions.le(batch.last.unsqueeze(1));
  return batch.first.defined() ? real.logical_and(positions.ge(batch.first.unsqueeze(1))) : real;
}

}  // namespace

Batch Task::training_batch(Model&, const TrainingPass& pass) const {
  return batch(Split::kTrain, pass.samples, {});
}

Batch make_batch(const std::vector<Sample>& samples, const std::vector<int64_t>& indices, BatchShape at_least,
                 const Padding& padding) {
  const int64_t rows = std::max(int64_t(indices.size()), at_least.rows);
  auto longest = size_t(at_least.tokens);
  for (const int64_t i : indices) longest = std::max(longest, samples[size_t(i)].tokens.size());

  Batch batch;
  batch.tokens = at::full({rows, int64_t(longest)}, int64_t(padding.token), at::kLong);
  batch.last = at::zeros({rows}, at::kLong);
  if (padding.left) batch.first = at::zeros({rows}, at::kLong);
  batch.labels = at::zeros({rows}, at::kLong);
  batch.weights = at::zeros({rows}, at::kFloat);
  for (size_t row = 0; row < indices.size(); ++row) {
    const Sample& sample = samples[size_t(indices[row])];
    const size_t first = padding.left ? longest - sample.tokens.size() : 0;
    auto* tokens = batch.tokens.data_ptr<int64_t>() + row * longest;
    std::ranges::copy(sample.tokens, tokens + first);
    if (padding.left) batch.first.data_ptr<int64_t>()[row] = int64_t(first);
    batch.last.data_ptr<int64_t>()[row] = int64_t(first + sample.tokens.size()) - 1;
    batch.labels.data_ptr<int64_t>()[row] = sample.label;
    batch.weights.data_ptr<float>()[row] = sample.weight;
  }
  return batch;
}

Batch on(at::Device device, Batch batch) {
  for (at::Tensor* one : {&batch.tokens, &batch.last, &batch.labels, &batch.weights, &batch.first})
    if (one->defined()) *one = one->to(device);
  for (at::Tensor& one : batch.beside) one = one.to(device);
  return batch;
}

at::Tensor token_mask(const Batch& batch) {
  return is_real(batch).logical_and(batch.weights.ne(0).unsqueeze(1));
}

Packing without_padding(const Batch& batch) {
  const at::Tensor real = is_real(batch);
  return {real.size(0), real.size(1), real.flatten().nonzero().flatten(), real.sum(1).cumsum(0) - 1};
}

at::Tensor weighted_loss(const at::Tensor& logits, const Batch& batch) {
  const at::Tensor picked = at::log_softmax(logits, -1).gather(1, batch.labels.unsqueeze(1)).squeeze(1);
  return -(picked * batch.weights).sum();
}

at::Tensor smoothed_loss(const at::Tensor& logits, const Batch& batch, double s) {
  if (s == 0) return weighted_loss(logits, batch);
  const at::Tensor minus_log = -at::log_softmax(logits, -1);  // (B, C)
  const at::Tensor of_label = minus_log.gather(1, batch.labels.unsqueeze(1)).squeeze(1);
  return ((of_label * (1 - s) + minus_log.mean(1) * s) * batch.weights).sum();
}

}  // namespace ringside::inline nn
