// The groups of one rank of a training, by what they are for (planner/run_mesh.h).
#pragma once

#include "ringside/nn/task.h"
#include "ringside/train/trainer.h"
#include "ringside/world/world.h"

namespace ringside::inline training {

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

}  // namespace ringside::inline training
