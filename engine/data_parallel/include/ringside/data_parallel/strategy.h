// How the ranks of a data-parallel group share one model: what happens around
// each unit's forward and backward, when gradients are reduced, and who updates
// what. One object a rank. Data parallelism (bucketed.cpp) and ZeRO 1, 2, 3
// (zero/stageN.cpp) each fill in the moments of a gradient's life, in one file, in their order.
//
// A step:  begin_step, then for each micro-batch { begin_micro_batch, forward,
// backward, end_micro_batch }, then step. Every rank calls the same sequence. Several forwards may come before
// the backward, through one unit as well; a second backward in a micro-batch that is reduced is refused where
// it reaches a gradient that was handed over.
//
// The update is the same everywhere: each rank adds up the squares of the gradients that it owns, the ranks
// that hold one copy of the model add up theirs (ExactSquareSum, so that no cut changes the norm; each
// element counts once), and the optimizer updates what the rank owns of every bucket. What an update needs of
// other ranks' shards it declares (optim/declaration.h), and rank_exchange.h fetches: the stages know nothing
// of it.
//
// With replicas the ranks stand in groups that each hold every shard (planner/run_mesh.h): a stage's
// collectives go over the group's ranks, and each bucket's shard of the step's sum is all-reduced between the
// groups. That happens once a step, behind the last micro-batch's reduction, as in MiCS (arXiv:2205.00119);
// FSDP does it in every micro-batch, unless told otherwise (set_requires_all_reduce).
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/data_parallel/bucket_storage.h"
#include "ringside/nn/parameters.h"
#include "ringside/optim/exact_square_sum.h"
#include "ringside/planner/run_rows.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/trace/trace.h"

namespace ringside::inline data_parallel {

struct StepOptions {
  double learning_rate = 0;
  int64_t step = 1;    // counts from 1
  double samples = 1;  // of all ranks and micro-batches: what the loss is a mean over
};

// Destruction waits for what is under way. After an error abort the group first, or a peer that never comes
// is waited for until the deadline.
class Strategy : public UnitHooks {
 public:
  // UsageError for an optimizer that does not go with the setup: parameters that are cut, or clipping.
  explicit Strategy(const StrategySetup& setup);

  // Fills parameters from rank 0's values, one tensor at a time. value(i, out): out is fp32 of shape i.
  void load(const std::function<void(size_t parameter, at::Tensor out)>& value);

  void begin_step(int64_t step);
  void begin_micro_batch(bool last_of_step);
  void end_micro_batch();  // after backward: flushes what has not been reduced
  // All of it for a step of one micro-batch, up to its update. loss: (); backward is a span of the recorder.
  void run_backward_of(int64_t step, const std::function<at::Tensor()>& loss);
  // Returns the norm of the mean gradient, before clipping. None with clip_norm=0: it is not computed then,
  // for it takes a collective.
  std::optional<double> step(const StepOptions& options);

  // The state of the run by name, between steps; neither is collective. What is exported is what this rank
  // updates: the pieces of all ranks together cover everything; under stage 0 those of each rank do, with
  // replicas those of each group. Import asks for every piece that the rank holds, from pieces of any stage,
  // mesh and number of ranks.
  void export_state(const std::function<void(const StatePiece&)>& take);
  void import_state(const std::function<void(const StatePiece&)>& fill);

  // The tag of ZeRO-3's all-gathers that follow: "parameters" (default), "evaluation" or "export".
  virtual void set_purpose(const std::string& purpose) {}
  // Calls visit for every parameter, whole, on every rank. Collective under ZeRO-3.
  virtual void visit_parameters(const std::function<void(size_t parameter, const at::Tensor&)>& visit);

  // A row of TensorHash (trace/training_rows.h) for each bucket and kind of state that has bytes now.
  void note_hashes(int64_t step);

  void before_forward(int unit) override;
  at::Tensor after_forward(int unit, at::Tensor output) override;
  bool take_fresh_gradient(const at::Tensor& weight) override;
  // Within the unit's backward: its parameters are there since before_backward, and stay for the gradients,
  // so that ZeRO-3 gathers once for both.
  void before_recompute(int unit) override;
  void after_recompute(int unit) override;

 protected:
  // ---- The moments of a gradient's life, which a stage fills in -----------
  virtual bool reduces(bool last_of_step) const { return last_of_step; }  // this micro-batch's gradients
  virtual void before_backward(int unit);                                 // its output's gradient is known
  virtual void arrived(size_t parameter) = 0;     // its gradient, on the backward thread
  virtual void ready(BucketStorage& bucket) = 0;  // every rank, in bucket order
  virtual void backward_ended() = 0;              // every bucket was ready, or none is to be
  virtual void share() = 0;                       // what this rank updated

  // ---- What they use ------------------------------------------------------
  void wait_for_buckets(const char* what);
  // For the sums of gradients. A bucket's squares are added up while later sums are under way: the sum of
  // squares is exact in any order.
  void wait_for_gradients();
  void wait(WorkPtr& work, const char* what);  // recorded as a span
  // With replicas, in the last micro-batch: sums this rank's shard of the bucket's gradients over the groups,
  // as bucket.work. Every rank in bucket order.
  void reduce_between(BucketStorage& bucket);
  void end_unit_span();

  ParameterSet& parameters_;
  ProcessGroup& group_;   // over which samples are spread
  ProcessGroup& shards_;  // of those that share a copy of the model
  const Optimizer& optimizer_;
  Distribution options_;
  Recorder* recorder_;
  GradientBuckets buckets_;
  int64_t step_ = -1;

 private:
  ProcessGroup* const between_;  // null without replicas
  ProcessGroup* const tied_;     // null: nothing is tied to another place
  ProcessGroup* const copy_;     // whose owned elements are one copy of the model; null: this rank's are
  std::unique_ptr<UpdateExchange> exchange_;
  bool last_of_step_ = true;  // this micro-batch

  ExactSquareSum squares_;  // of this step's gradients, so far
  // Under stages 0 and 1 the gradient of a leaf has its place in a bucket.
  struct Place {
    at::Tensor gradient;    // undefined: the leaf has no place
    bool is_fresh = false;  // nothing has been added to it in this step
    bool is_taken = false;  // a product has written it whole, in this step or, before it begins, in the last
  };
  std::vector<Place> places_;  // (parameter)
  std::unordered_map<const c10::TensorImpl*, size_t> parameter_of_;
  void clear_gradients(BucketStorage& bucket);
  void settle(size_t parameter);  // puts the leaf's gradient into its place

  void add_tied_gradients();
  void add_squares_of(BucketStorage& bucket);  // once a step, where gradients are clipped
  double gradient_norm(double samples);        // of the mean gradient
  std::vector<StatePiece> pieces_of(size_t parameter, BucketStorage::Extent extent);

  std::vector<GradientHook> hooks_;
  struct OpenSpan {
    const char* name;
    int unit;
    int64_t start_ns;
  };
  std::optional<OpenSpan> span_;
};

// In place of the stage's, of a client (TrainingConfig::strategy). What a rank keeps is as the stage has it.
class StrategyOfClient {
 public:
  virtual ~StrategyOfClient() = default;
  virtual std::unique_ptr<Strategy> make(const StrategySetup& setup) const = 0;
  // Adds what a rank sends of gradients and parameters in so many steps. shapes: of what the rank has.
  virtual void predict(const Distribution& distribution, const std::vector<ParameterShape>& shapes,
                       int64_t steps, RankRows& rows) const = 0;
};

// Stage 0. Other stages: zero/make_strategy.h.
std::unique_ptr<Strategy> make_data_parallel(const StrategySetup& setup);

}  // namespace ringside::inline data_parallel
