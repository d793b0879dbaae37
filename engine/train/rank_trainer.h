// One rank's part of a training: its model, its strategy, its loop.
#pragma once

#include <memory>

#include "evaluation.h"
#include "ringside/comm/process_group.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/model.h"
#include "ringside/train/trainer.h"
#include "ringside/world/world.h"
#include "ringside/zero/make_strategy.h"

namespace ringside {

// A rank's handles; one group may be both.
struct RankGroups {
  ProcessGroup& training;  // gradients, norm, parameters, the initial broadcast
  ProcessGroup& common;    // metrics, evaluation, control
};

class RankTrainer {
 public:
  RankTrainer(const TrainerConfig& config, const Dataset& dataset, World& world, const TrainerHooks& hooks);
  // Collective from its first line on: parameters are loaded here, not in the constructor, so that what was
  // built outlives whatever a peer may still read. begin: false where it was cancelled before the first step.
  TrainResult run(bool begin);

 private:
  void load();
  void end_step(int64_t step);  // evaluates where it is time to
  void train_step(int64_t step);
  double micro_batch(int64_t step, int64_t micro);  // returns the sum of the losses of its samples
  void release(ModelOutput& output);                // notes what only it kept alive
  void record_metrics(int64_t step, double loss_sum, double norm);
  void evaluate(int64_t step);
  void observe(int64_t step);
  void hash_parameters();
  void close();  // collective: a rank that left out a call is noticed here at the latest

  const TrainerConfig& config_;
  const Dataset& dataset_;
  RankGroups groups_;
  int rank_, ranks_;
  Recorder& recorder_;
  const TrainerHooks& hooks_;
  Sampler sampler_;
  Optimizer optimizer_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Strategy> strategy_;
  Evaluation evaluation_;
  TrainResult result_;
};

}  // namespace ringside
