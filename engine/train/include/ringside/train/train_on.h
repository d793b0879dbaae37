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

// train_and_book() from given weights; `weights` are afterwards those behind its last step, in new tensors.
// weights: whole, in fp32, those of task->declare() in their order.
TrainResult train_on(std::vector<at::Tensor>& weights, const TrainingConfig& config,
                     const std::shared_ptr<const Task>& task, TraceStore& store, const std::string& section,
                     TrainerHooks hooks, TraceRows& rows);

}  // namespace ringside::inline training
