// The distributed trainer: ranks as threads, one Classifier and one Strategy each.
// Torch-free: the caller sees figures and a trace, not tensors.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/base/run_control.h"
#include "ringside/comm/link_model.h"
#include "ringside/comm/process_group.h"
#include "ringside/comm/wiring.h"
#include "ringside/data/dataset.h"
#include "ringside/faults/injector.h"
#include "ringside/flight/recorder.h"
#include "ringside/nn/output_version.h"
#include "ringside/optim/optimizer.h"
#include "ringside/optim/schedule.h"
#include "ringside/planner/shapes.h"
#include "ringside/planner/zero_plan.h"
#include "ringside/trace/trace.h"

namespace ringside {

// What ranks bring together of an evaluation.
enum class EvaluationGather : uint8_t {
  kCounts,  // three sums at its end: loss, correct, samples
  kLogits,  // logits and labels of every batch; each rank scores the whole
  kOutputs  // those and whatever else forward returned, kept until the evaluation ends, as the
            // evaluation loops of common trainers do with a model's outputs
};

// How kOutputs sends hidden states and attentions.
enum class GatherTransfer : uint8_t {
  kWhole,      // a tensor in one all-gather
  kChunked,    // in several of gather_chunk elements
  kCompressed  // in one, as bf16; what is kept has the model's type again
};

struct TrainerConfig : Distribution {
  ClassifierConfig model;
  int64_t max_tokens = 64;  // T

  int ranks = 4;  // N
  LinkModel link;
  bool check = true;
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);

  OptimizerConfig optimizer;
  Schedule schedule;  // total is set to steps
  double learning_rate = 1e-3;

  int64_t batch = 16;  // sequences of one micro-step, over all ranks
  int64_t steps = 40;
  int64_t evaluate_every = 0;    // steps; 0: once, at the end; -1: never
  int64_t evaluation_rows = 32;  // sequences of one evaluation forward on a rank
  uint64_t seed = 0;
  bool hash_state = false;  // after the last step: notes with a hash of everything that a rank holds

  // What forward returns beside loss and logits, and what becomes of it.
  OutputVersion outputs = OutputVersion::kV3;
  bool attentions = false;        // whether they are among "everything" that a version returns
  bool wrapper_mismatch = false;  // train() and eval() do not reach the inner model's flag ...
  int mismatch_rank = -1;         // ... on this rank; -1: on all
  EvaluationGather evaluation_gather = EvaluationGather::kCounts;
  GatherTransfer gather_transfer = GatherTransfer::kWhole;
  int64_t gather_chunk = int64_t{1} << 16;  // elements that a rank contributes to one chunk

  // On: metrics, evaluation and control travel in a group "default" with numbers of its own; "dp" keeps
  // gradients, norm, parameters and the initial broadcast. So DeepSpeed, which makes a group of its own,
  // and the trainer around it, which uses the default one.
  bool two_groups = false;
  // Off, as in common trainers: no word from rank 0 before each step. hooks.control is then asked once,
  // before the first step; cancelling breaks the groups off, wherever the ranks are.
  bool agree_on_steps = true;
};

// One parameter's values after a step, as rank 0 has them.
struct ParameterBits {
  const std::string* name = nullptr;
  const void* data = nullptr;
  int64_t count = 0;
  Dtype dtype = Dtype::kFloat32;
};
using ParameterObserver = std::function<void(int64_t step, size_t index, const ParameterBits& bits)>;

// A loss or gradient norm that is not finite, on every rank: whose gradient began it is no longer known.
struct DivergedError : SharedError {
  explicit DivergedError(const std::string& message) : SharedError(ExitCode::kCheckFailed, message) {}
};

struct TrainerHooks {
  RunControl* control = nullptr;              // null: runs to the end
  std::function<void(int64_t step)> on_step;  // rank 0, after each step
  ParameterObserver observe;                  // rank 0, every parameter after every step (1, 2, ...)
  // Wraps each rank's handle of each group, on that rank's thread: where a test plants a bug or watches
  // calls.
  std::function<std::unique_ptr<ProcessGroup>(std::unique_ptr<ProcessGroup>)> wrap_group;
  // Where this process is one rank of the run (world/world.h).
  std::shared_ptr<ProcessWiring> process;
  FaultInjector* faults = nullptr;       // what is planned to go wrong; null: nothing
  std::vector<FlightRecorder*> flights;  // one a rank, or empty: the run keeps its own
  Attributes attributes;                 // of the section, beside the run's own
  // On the rank's thread, as it ends: null, or what it threw (RankKilled of a killed one).
  std::function<void(int rank, const std::exception_ptr& error)> on_rank_end;
};

// What a person did while a training ran: all that its prediction is told of the run itself.
struct Interruption {
  int64_t pauses = 0;  // answers "pause" of rank 0 at step boundaries
  // Steps that had been taken at the step boundary where rank 0's answer was "cancel"; none: it was not.
  std::optional<int64_t> cancelled_after;
};

struct TrainResult {
  bool complete = false;              // false: cancelled at a step boundary
  int64_t steps = 0;                  // that were completed
  std::vector<double> loss;           // (steps) mean over the global batch
  std::vector<double> gradient_norm;  // (steps) before clipping
  std::vector<double> step_ms;        // (steps) rank 0, from begin to updated parameters
  double evaluation_loss = 0;
  double accuracy = 0;            // held-out, of the last evaluation
  int64_t evaluated = 0;          // held-out samples it counted
  std::string parameters_sha256;  // of the whole parameters
  bool ranks_agree = false;       // every rank hashed the same
  // (evaluations) bytes that rank 0 received in an evaluation's gathers of outputs, counted as they came
  std::vector<int64_t> gathered_bytes;
  // The most activations that nothing but the returned outputs kept alive after a backward: rank 0,
  // as the memory hook saw them.
  int64_t held_output_bytes = 0;
  Interruption interruption;
};

// Trains as section `section` of the store. Throws typed errors (comm/errors.h, base/error.h); where a
// collective failed, the merged report of the flight recorders stands behind the message, and in the
// section's attribute "flight report";
// a cancelled run is no error (CancelledError where ranks do not agree on steps).
TrainResult train(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                  const std::string& section, const TrainerHooks& hooks = {});

// The same run as the planner sees it, from what it was given: nothing that it counted is believed.
// `observed`: with hooks.observe, for which parameters are collected after every step.
ZeroRunSetup planned_run(const TrainerConfig& config, const Dataset& dataset,
                         const Interruption& interruption, bool observed = false);

}  // namespace ringside
