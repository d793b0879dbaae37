// How the ranks of a data-parallel group share one model: what happens around
// each unit's forward and backward, when gradients are reduced, and who updates
// what. One object a rank. Subclasses are data parallelism and ZeRO 1, 2, 3.
//
// A step:  begin_step, then for each micro-batch { begin_micro_batch, forward,
// backward, end_micro_batch }, then step. Every rank calls the same sequence.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/data_parallel/bucket_storage.h"
#include "ringside/nn/unit_hooks.h"
#include "ringside/optim/exact_square_sum.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/trace/trace.h"

namespace ringside {

struct StepOptions {
  double learning_rate = 0;
  int64_t step = 1;    // counts from 1
  double samples = 1;  // of all ranks and micro-batches: what the loss is a mean over
};

class Strategy : public UnitHooks {
 public:
  Strategy(ParameterSet& parameters, ProcessGroup& group, const Optimizer& optimizer,
           const Distribution& options, Sharding sharding, Recorder* recorder);

  // Waits for what is under way: peers read these buffers. After an error abort the group first, or
  // a peer that never comes is waited for until the deadline.
  ~Strategy() override;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  // Fills parameters from rank 0's values, one tensor at a time. value(i, out): out is fp32 of shape i.
  void load(const std::function<void(size_t parameter, at::Tensor out)>& value);

  void begin_step(int64_t step);
  void begin_micro_batch(bool last_of_step);
  void end_micro_batch();  // after backward: flushes what has not been reduced
  double step(const StepOptions&
                  options);  // returns the norm of the mean gradient, before clipping (0: clipping off)

  // While one lives, gathers are booked as evaluation or export.
  virtual void set_purpose(const std::string& purpose) {}
  // Calls visit for every parameter, whole, on every rank. Collective under ZeRO-3.
  virtual void visit_parameters(const std::function<void(size_t parameter, const at::Tensor&)>& visit);

  // A note for each bucket and kind of state: "hash parameters 3fa2b1c49d0e77aa", the first 16 digits of
  // the SHA-256 of the bytes that are live now; its unit is the memory events' tensor, "bucket 3".
  void note_hashes(int64_t step);

  void before_forward(int unit) override;
  at::Tensor after_forward(int unit, at::Tensor output) override;

 protected:
  // ---- What the stages fill in -------------------------------------------
  virtual bool reduces_every_micro_batch() const { return false; }
  virtual void before_backward(int unit);             // its output's gradient is known
  virtual void gradient_arrived(size_t parameter) {}  // on the backward thread
  virtual void reduce(BucketStorage& bucket) = 0;     // every rank, in bucket order
  virtual void finish_reductions();                   // waits for all of them
  virtual void agree_on_norm(ExactSquareSum& sum) {}  // sharded gradients: adds over ranks
  virtual void share_parameters() {}                  // after the update
  virtual void after_backward() {}

  // Hands buckets to reduce(), in order, up to the first that still waits for a gradient. Those of
  // units from finished_unit up do not wait: their backward is over.
  static constexpr int kEveryUnit = -1;
  void reduce_ready(int finished_unit);
  void wait(WorkPtr& work, const char* what);  // recorded as a span
  void end_unit_span();

  ParameterSet& parameters_;
  ProcessGroup& group_;
  const Optimizer& optimizer_;
  Distribution options_;
  Sharding sharding_;
  Recorder* recorder_;
  std::vector<BucketStorage> buckets_;
  int64_t step_ = -1;

 private:
  void arrived(size_t parameter);
  double clip_factor(const StepOptions& options, double* norm);

  std::vector<size_t> bucket_of_;  // parameter -> bucket
  std::vector<GradientHook> hooks_;
  bool reducing_ = false;   // this micro-batch ends in a reduction
  size_t next_bucket_ = 0;  // the first not yet handed to reduce()
  struct OpenSpan {
    const char* name;
    int unit;
    int64_t start_ns;
  };
  std::optional<OpenSpan> span_;
};

// Which class serves which stage (0 with naive, 0 .. 3): zero/make_strategy.h.

}  // namespace ringside
