// An evaluation on the held-out samples: every rank runs forward on its slice of them, and what the ranks
// bring together of it is an Evaluation's matter. The trainer's own adds up scores; a client's may gather
// what forward returned (TrainerConfig::evaluation).
#pragma once

#include <functional>
#include <memory>

#include "ringside/comm/process_group.h"
#include "ringside/data/class_metrics.h"
#include "ringside/nn/model.h"
#include "ringside/nn/task.h"
#include "ringside/planner/run_rows.h"
#include "ringside/trace/trace.h"

namespace ringside::inline nn {

// Of a classifier. logits: (B, C). Rows of weight 0 do not count.
Score score_of(const at::Tensor& logits, const Batch& batch);
Score& operator+=(Score& sum, const Score& more);

// One rank's slice of the held-out samples, and what it is run with.
struct HeldOut {
  const Task& task;
  int64_t rows;  // of one forward
  Model& model;
  ProcessGroup& data;  // over which samples are spread
  // Carries what the ranks bring together: the same ranks, or those of all stages of a pipeline.
  ProcessGroup& group;
  Recorder& recorder;
  // In evaluation mode, with the parameters brought. Nothing where a pipeline's head is on another stage.
  std::function<ModelOutput(const Batch& batch)> forward;

  // As many as the longest slice needs, on every rank: ZeRO-3 gathers in each forward.
  int64_t batches() const;
  Batch batch(int64_t index, BatchShape at_least = {}) const;  // may hold no sample
};

// Shared by the ranks.
class Evaluation {
 public:
  virtual ~Evaluation() = default;
  // Of the held-out samples of all ranks. Collective, on each rank's thread, without gradients.
  virtual Score run(const HeldOut& held_out, int64_t step) const = 0;
  // Adds what a rank sends in so many evaluations, which take so many batches together. ZeRO-3's gathers are
  // the strategy's.
  virtual void predict(int64_t evaluations, int64_t batches, RankRows& rows) const = 0;
};

// The trainer's own: one all-reduce of the three sums. predict_zero_run() has its rows.
Score add_up_scores(const HeldOut& held_out);

// An evaluation that counts which class was answered for which label: one all-reduce of 2 + C^2 numbers in
// fp64, the loss, the samples and the matrix. Its Score has macro_f1.
// What an evaluation found, on the thread of rank 0, or of the process's own rank; loss: mean over samples.
using SeeConfusion = std::function<void(int64_t step, const Confusion& counts, double loss)>;
// see: may be none.
std::shared_ptr<const Evaluation> confusion_evaluation(int64_t classes, SeeConfusion see);

}  // namespace ringside::inline nn
