// One rank's part of a training: its model, its strategy, its loop.
#pragma once

#include "ringside/train/trainer.h"
#include "ringside/world/world.h"

namespace ringside::inline training {

// Collective. recorder: of spans, scalars and rows; the world's, if any, of calls and memory. begin: false
// where the run was cancelled before its first step.
TrainResult train_rank(const TrainingConfig& config, const Task& task, World& world, Recorder& recorder,
                       const TrainerHooks& hooks, bool begin);

}  // namespace ringside::inline training
