// The model that a run left, read from its folder.
#pragma once

#include "ringside/data/tokenizer.h"
#include "ringside/lesson/config.h"
#include "ringside/train/classify.h"
#include "ringside/weights/weight_folder.h"
#include "run_folder.h"

namespace ringside {

class TrainedRun {
 public:
  // InputError naming what is missing or wrong, and what to do.
  explicit TrainedRun(const RunFolder& folder);

  const Config& config() const { return config_; }
  const WhatWasLearned& learned() const { return learned_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  TrainedClassifier classifier() const;  // refers to this

 private:
  const Config config_;
  const WhatWasLearned learned_;
  const std::shared_ptr<const Tokenizer> tokenizer_;
  const WeightFolder weights_;
  ClassifierConfig model_;
  std::vector<ConstView> values_;
};

}  // namespace ringside
