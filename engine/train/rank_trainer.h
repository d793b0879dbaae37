// One rank's part of a training: its model, its strategy, its loop.
#pragma once

#include <memory>

#include "ringside/comm/process_group.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/classifier.h"
#include "ringside/train/trainer.h"
#include "ringside/zero/make_strategy.h"

namespace ringside {

class RankTrainer {
 public:
  RankTrainer(const TrainerConfig& config, const Dataset& dataset, ProcessGroup& group, Recorder& recorder,
              const TrainerHooks& hooks);
  TrainResult run();

 private:
  void train_step(int64_t step);
  double micro_batch(int64_t step, int64_t micro);  // returns the sum of the losses of its samples
  void record_metrics(int64_t step, double loss_sum, double norm);
  void evaluate(int64_t step);
  void observe(int64_t step);
  void hash_parameters();

  const TrainerConfig& config_;
  const Dataset& dataset_;
  ProcessGroup& group_;
  Recorder& recorder_;
  const TrainerHooks& hooks_;
  Sampler sampler_;
  std::unique_ptr<Optimizer> optimizer_;
  Classifier model_;
  std::unique_ptr<Strategy> strategy_;
  TrainResult result_;
};

}  // namespace ringside
