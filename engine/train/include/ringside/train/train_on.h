// Trainings of small models, which go on from one another's weights.
#pragma once

#include <vector>

#include "ringside/train/booked.h"

namespace at {
class Tensor;
}

namespace ringside::inline training {

// In fp32, with the optimizer's state cut over the ranks (ZeRO-1), without evaluation. batch: of all ranks.
TrainingConfig small_training(int64_t ranks, int64_t batch, int64_t steps, double rate, uint64_t seed);

// Who looks at rank 0's weights: before the first step (step 0), behind every so many, and behind the last.
struct WeightsWatcher {
  int64_t every = 1;
  std::function<void(int64_t step, const std::vector<at::Tensor>& weights)> look{};  // null: nobody
};

// train_and_book() from given weights; `weights` are afterwards those behind its last step, in new tensors.
// weights: whole, in fp32, those of task->declare() in their order. Where the task has several models
// (nn/joint_model.h), all begin as `weights` but for what has another shape, as a critic's head, which is
// drawn; the first of them is watched and is what `weights` become.
TrainResult train_on(std::vector<at::Tensor>& weights, const TrainingConfig& config,
                     const std::shared_ptr<const Task>& task, TraceStore& store, const std::string& section,
                     TrainerHooks hooks, TraceRows& rows, const WeightsWatcher& watch = {});

}  // namespace ringside::inline training
