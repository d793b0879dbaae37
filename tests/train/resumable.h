// Trainings of six steps that can be cut after three: two micro-batches, a schedule, evaluations.
#pragma once

#include "temp_folder.h"
#include "tiny_training.h"

namespace ringside::testing {

inline constexpr int64_t kCut = 3, kAllSteps = 6;

struct Where {
  std::string mesh;
  int ranks;
};
inline const Where kPlain{"dp2", 2}, kTensor{"dp2,tp2", 4}, kPipe{"dp2,pp2", 4};

inline TrainerConfig resumable(const Where& where, int stage, Precision precision = Precision::kFloat32,
                               const std::string& optimizer = "adamw") {
  TrainerConfig config = tiny_config(where.ranks, stage);
  config.mesh = where.mesh;
  config.model.heads = config.model.kv_heads = 2;
  config.model.layers = 2;
  config.precision = precision;
  config.optimizer.name = optimizer;
  if (find_optimizer(optimizer).compares_gradients) config.clip_norm = 0;
  config.schedule.name = "cosine", config.schedule.warmup = 2;
  config.accumulate = 2;
  config.steps = kAllSteps;
  config.evaluate_every = 2;
  config.hash_state = true;
  return config;
}

inline TrainerConfig saved_in(TrainerConfig config, const TempFolder& folder, bool resume) {
  config.checkpoint.folder = folder.path / "run";
  config.checkpoint.every = kCut;
  config.checkpoint.resume = resume;
  return config;
}

}  // namespace ringside::testing
