// What a rank computes of a step's micro-batches: the passes that a schedule puts in order (pipeline/run.h),
// on the parts of the model that lie here; without pp all of it, one micro-batch after another.
#pragma once

#include <map>
#include <utility>

#include "remarks.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/evaluation.h"
#include "ringside/nn/split_backward.h"
#include "ringside/pipeline/run.h"
#include "run_groups.h"

namespace ringside::inline training {

class StagePasses final : private PipelineWork {
 public:
  StagePasses(const RankParts& rank, Remarks& remarks);

  // Of a step: gradients are added up, and reduced in its last backward. The sums of this rank's samples, 0
  // where the head is elsewhere. numbers: what sampler and dropout take its step for.
  Score train(int64_t step, const StepNumbers& numbers);
  // Without gradients. Logits where the head is here, else nothing.
  ModelOutput evaluate(const Batch& batch);

 private:
  // Of one micro-batch in one chunk. What forward returned lives until backward is over, as usual.
  struct Forwarded {
    Batch batch;
    at::Tensor input;  // (B, T_r, H) a leaf; undefined in the first part
    ModelOutput output;
    at::Tensor loss;      // where the head is
    at::Tensor gradient;  // of the output, where it is not
    WeightGradients later;
  };
  using Key = std::pair<int64_t, int>;  // micro-batch, chunk

  MutableView room_for(const StepPass& receiver) override;
  void compute(const StepPass& pass) override;
  ConstView result_of(const StepPass& sender) override;
  void sent(const StepPass& sender) override;
  void hand_over(const StepPass& from, const StepPass& to) override;

  std::vector<int64_t> samples_of(int64_t micro);  // that this rank has of it
  DropoutDraws draws_of(int64_t micro) const;
  const Batch& batch_of(const StepPass& pass);  // made when it is first asked for
  const StepSchedule& list() const;             // of this stage
  UnitRange units_of(int chunk) const;
  ModelOutput run(const Forwarded& pass, const StepPass& which, Mode mode);
  void forward(const StepPass& pass);
  void backward(const StepPass& pass);
  void weights(const StepPass& pass);
  void record(const StepPass& pass, int64_t start_ns, double start_cpu_ns);

  const RankParts rank_;
  Remarks& remarks_;
  ProcessGroup* const stages_;  // null: one
  const PipelineSchedule schedule_;
  const std::vector<UnitRange> parts_;  // of the model; none: it has no parts
  const bool is_split_;                 // some backward of this stage is in two
  Sampler sampler_;
  int64_t step_ = -1;
  StepNumbers numbers_;
  StepPass last_{};                  // behind it gradients are complete
  const Batch* held_out_ = nullptr;  // while an evaluation is on
  std::map<Key, Forwarded> forwarded_;
  std::map<Key, at::Tensor> back_;  // gradients of inputs, until the stage before has them
  Score own_;
};

}  // namespace ringside::inline training
