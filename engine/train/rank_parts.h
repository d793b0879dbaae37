// What a rank's loop is made of, as its passes and its checkpoints see it.
#pragma once

#include "ringside/data_parallel/strategy.h"
#include "ringside/nn/model.h"
#include "ringside/nn/task.h"
#include "run_groups.h"

namespace ringside::inline training {

// What each part of a run takes a step for: the step, but for what a resumed run leaves out.
struct StepNumbers {
  int64_t samples = 0, draws = 0, rate = 0, update = 0;
};

struct RankParts {  // all outlive who is given them
  const TrainingConfig& config;
  const Task& task;
  const RunGroups& groups;
  Model& model;
  Strategy& strategy;
  Recorder& recorder;
};

// One rank's whole part of a training. Collective. recorder: of spans, scalars and rows; the world's, if any,
// of calls and memory. begin: false where the run was cancelled before its first step.
TrainResult train_rank(const TrainingConfig& config, const Task& task, World& world, Recorder& recorder,
                       const TrainerHooks& hooks, bool begin);

}  // namespace ringside::inline training
