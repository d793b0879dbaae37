// One rank's groups in a training, by what they are for (planner/run_mesh.h), and what its loop is made of.
#pragma once

#include <ATen/ATen.h>
#include "ringside/data_parallel/strategy.h"
#include "ringside/nn/model.h"
#include "ringside/nn/task.h"
#include "ringside/planner/parts.h"
#include "ringside/train/trainer.h"
#include "ringside/world/world.h"

namespace ringside::inline training {

inline void require(bool allowed, const std::string& message) {  // UsageError
  if (!allowed) throw UsageError(message);
}

struct RunGroups {
  RunGroups(World& world, const TrainingConfig& config, const Declaration& model);

  Mesh mesh;
  ProcessGroup& data;                  // "dp": gradients, norm, parameters, the initial broadcast
  ProcessGroup& common;                // metrics and evaluation; the same, but with two_groups
  ProcessGroup& all;                   // control; the same, but where places share a copy of the model
  ProcessGroup* model = nullptr;       // of the places that hold one copy; null: this rank has all of it
  ProcessGroup* statistics = nullptr;  // of norms that add up theirs over the ranks
  ProcessGroup* inside = nullptr;      // with replicas: those that share one
  ProcessGroup* tied = nullptr;        // of the places that have a tied parameter
  ProcessGroup* between = nullptr;     // with replicas: those with the same shard of each
  ProcessGroup* copy = nullptr;        // StrategySetup::copy
  ProcessGroup* writers = nullptr;     // of the threads that write checkpoints beside the ranks' own
  ModelSite site;                      // of this rank

  // Each once, in the order in which they were made.
  std::vector<ProcessGroup*> every() const;
};

// For who looks at parameters, and for values from outside: one of which each place has a part, whole on each
// of them. Collective over the places.
at::Tensor whole_of(const at::Tensor& part, const ParameterShape& whole, const RunGroups& groups);

// A parameter's first values, or what a place has of them. start: whole, in fp32.
void begin_with(const ConstView& start, const ParameterShape& whole, const Part* part, const at::Tensor& out);

// Shows it one parameter's or buffer's values, read from where they are.
void show(const ParameterObserver& to, int64_t step, size_t index, const std::string& name,
          const at::Tensor& values);

// What each part of a run takes a step for: the step, but for what a resumed run leaves out.
struct StepNumbers {
  int64_t samples = 0, draws = 0, rate = 0, update = 0;
};

// What a rank's loop is made of, as its passes and its checkpoints see it.
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
