#include "ringside/train/train_on.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "ringside/nn/task.h"
#include "ringside/nn/tensor_view.h"

namespace ringside::inline training {

TrainingConfig small_training(int64_t ranks, int64_t batch, int64_t steps, double rate, uint64_t seed) {
  TrainingConfig training;
  training.ranks = int(ranks);
  training.stage = 1;
  training.precision = Precision::kFloat32;
  training.batch = batch;
  training.steps = steps;
  training.learning_rate = rate;
  training.evaluate_every = -1;
  training.seed = seed;
  return training;
}

TrainResult train_on(std::vector<at::Tensor>& weights, const TrainingConfig& config,
                     const std::shared_ptr<const Task>& task, TraceStore& store, const std::string& section,
                     TrainerHooks hooks, TraceRows& rows, const WeightsWatcher& watch) {
  const std::vector<at::Tensor> before = weights;
  const std::vector<ParameterShape> shapes = task->declare().shapes();
  for (at::Tensor& t : weights) t = t.clone();
  hooks.start = [&](size_t index) {
    const at::Tensor& same = before[index % before.size()];
    return same.sizes() == shapes[index].shape ? ConstView(view_of(same)) : ConstView();
  };
  const auto take = [&](size_t index, ConstView values) {
    if (index < weights.size())
      std::copy_n(static_cast<const float*>(values.data), values.count, weights[index].data_ptr<float>());
  };
  hooks.finished = [&](int64_t, size_t index, const std::string&, ConstView values) { take(index, values); };
  if (watch.look)
    hooks.observe = [&](int64_t step, size_t index, const std::string&, ConstView values) {
      if (step == 1 && index == 0) watch.look(0, before);
      take(index, values);
      if (index + 1 == weights.size() && (step % watch.every == 0 || step == config.steps))
        watch.look(step, weights);
    };
  return train_and_book(config, task, store, section, hooks, rows);
}

}  // namespace ringside::inline training
