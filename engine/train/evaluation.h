// An evaluation on the held-out samples: every rank runs forward on its slice of them, and what
// the ranks bring together of it follows TrainerConfig::evaluation_gather. One object a rank; run() is
// collective. Accuracy does not depend on what is gathered.
#pragma once

#include <cstdint>
#include <vector>

#include "output_gather.h"
#include "ringside/data/dataset.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/nn/model.h"
#include "ringside/train/trainer.h"

namespace ringside {

struct EvaluationResult {
  double loss = 0;  // mean over the samples
  double accuracy = 0;
  int64_t samples = 0;         // of all ranks
  int64_t gathered_bytes = 0;  // that this rank received in gathers of outputs
};

class Evaluation {
 public:
  // The group carries counts and outputs; parameters are the strategy's matter.
  Evaluation(const TrainerConfig& config, const Dataset& dataset, Model& model, Strategy& strategy,
             ProcessGroup& group, Recorder& recorder);
  EvaluationResult run(int64_t step);

 private:
  // What one batch brought together: (N, rows, ...), as long as the evaluation lasts.
  struct Gathered {
    at::Tensor logits, labels;  // kNoLabel in rows that only pad
    std::vector<at::Tensor> others;
  };
  struct Sums {
    double loss = 0, correct = 0, samples = 0;
  };
  std::vector<int64_t> indices(int64_t batch) const;  // this rank's samples of it; may be empty
  ModelOutput forward(const Batch& batch);
  Sums count();
  Sums gather(int64_t step, OutputGather& gather);
  Gathered gather_batch(const ModelOutput& output, const Batch& batch, const std::string& unit,
                        OutputGather& gather) const;
  static void add(Sums& sums, const at::Tensor& logits, const Batch& batch);

  const TrainerConfig& config_;
  const Dataset& dataset_;
  Model& model_;
  Strategy& strategy_;
  ProcessGroup& group_;
  Recorder& recorder_;
  int64_t batches_;
};

}  // namespace ringside
