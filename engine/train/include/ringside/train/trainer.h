// The distributed trainer: a Task (nn/task.h: what is trained) over a mesh of ranks (planner/run_mesh.h), on
// each rank a Model, a Strategy, an optimizer and a loop. A client may put its own evaluation in place
// (TrainingConfig) and turn the loop another way (TrainerHooks). The classifier is one Task; it has a
// configuration and overloads of its own at the end. Torch-free: the caller sees figures and a trace, not
// tensors.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/data/dataset.h"
#include "ringside/optim/optimizer.h"
#include "ringside/optim/schedule.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/zero_plan.h"
#include "ringside/train/early_stop.h"
#include "ringside/world/world.h"

namespace ringside::inline checkpoint {
class FileSystem;
}  // namespace ringside::inline checkpoint
namespace ringside::inline data_parallel {
class StrategyOfClient;  // strategy.h
}  // namespace ringside::inline data_parallel
namespace ringside::inline nn {
class Evaluation;
class Model;
class Task;
}  // namespace ringside::inline nn

namespace ringside::inline training {

// What a run that resumes does without, as a program that never saved it: a lesson's, and a test's.
enum class LeftOut : uint8_t {
  kSampler,      // its samples begin anew with the first epoch
  kRandomState,  // dropout draws what it drew from the run's beginning on
  kMoments,      // the optimizer's state is 0
  kStepCount,    // the optimizer counts its updates anew: Adam's bias correction
  kSchedule,     // the learning rate begins anew
  kMasters,      // fp32 copies are what their bf16 weights say
  kStatistics    // buffers have their initial values
};
inline constexpr std::string_view kLeftOutTexts[] = {"sampler",  "random state", "moments",   "step count",
                                                     "schedule", "fp32 masters", "statistics"};
inline std::span<const std::string_view> texts(LeftOut) { return kLeftOutTexts; }

// What a run keeps of itself on the disk (checkpoint/save.h): parameters, the optimizer's state, buffers. All
// ranks see the one folder.
struct CheckpointOptions {
  // "": nothing is saved. CheckpointError where it has checkpoints, and the run does not resume.
  std::string folder{};
  int64_t every = 0;    // steps; the last step is saved always
  int64_t keep = 2;     // so many stay; 0: all
  bool resume = false;  // from the newest that all ranks find whole; from the beginning where there is none
  // A folder of its own for the state behind the best evaluation (TrainingConfig::watch); "": not kept. A
  // run that does not resume replaces what is there.
  std::string best{};
  // The run goes on while a copy in memory is written (CheckpointRow has both times). One is under way at a
  // time; what goes wrong with it is thrown at the next save, or at the end.
  bool asynchronous = false;
  FileSystem* disk = nullptr;       // null: the machine's
  std::vector<LeftOut> left_out{};  // by a run that resumes
};
inline bool leaves_out(const CheckpointOptions& options, LeftOut what) {
  return std::ranges::find(options.left_out, what) != options.left_out.end();
}

struct TrainingConfig : Distribution {
  int ranks = 4;  // of the whole mesh
  // kCuda: tensors are in the memory of one GPU, which ranks that are threads share. Initial values, losses
  // and hashes are the host's.
  Device device = Device::kCpu;
  LinkModel link;
  bool check = true;
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);

  OptimizerConfig optimizer;
  Schedule schedule;            // total is steps
  double learning_rate = 1e-3;  // for every optimizer, though that of Adadelta and L-BFGS is near 1
  double learning_rate_at(int64_t step) const {
    return learning_rate * schedule_factor({schedule.name, schedule.warmup, steps}, step);
  }

  int64_t batch = 16;  // samples of one micro-step, over all ranks
  int64_t steps = 40;
  int64_t evaluate_every = 0;    // steps; 0: once, at the end; -1: never
  int64_t evaluation_rows = 32;  // samples of one evaluation forward on a rank
  uint64_t seed = 0;
  bool hash_state = false;  // after the last step: notes with a hash of everything that a rank holds

  std::shared_ptr<const Evaluation> evaluation;      // null: the Task's scores are added up
  std::shared_ptr<const StrategyOfClient> strategy;  // null: the stage's

  // On: metrics, evaluation and control travel in a group "default" with numbers of its own; "dp" keeps
  // gradients, norm, parameters and the initial broadcast. So DeepSpeed, which makes a group of its own,
  // and the trainer around it, which uses the default one.
  bool two_groups = false;
  std::chrono::nanoseconds default_timeout{0};  // of the group "default", with two_groups; 0: timeout
  // Off, as in common trainers: no word from rank 0 before each step. hooks.control is then asked once,
  // before the first step; cancelling breaks the groups off, wherever the ranks are.
  bool agree_on_steps = true;

  CheckpointOptions checkpoint;
  WatchOptions watch;  // evaluations: when to stop, and which is the best
  // Off: of collectives and memory nothing is recorded, which in a run of many steps is more than the model.
  bool record_calls = true;
};

struct TrainerConfig : TrainingConfig {  // of a classifier
  ClassifierConfig model;
  double label_smoothing = 0;  // in [0, 1); evaluations score without (nn/batch.h)
  int64_t max_tokens = 64;     // T
  // On each rank's thread; its parameters are those that `model` declares. None: a Classifier.
  std::function<std::unique_ptr<Model>(int rank)> make_model;
};

// Sees one parameter's values after a step, as rank 0 has them.
using ParameterObserver =
    std::function<void(int64_t step, size_t index, const std::string& name, ConstView values)>;

// A loss or gradient norm that is not finite, on every rank: whose gradient began it is no longer known.
struct DivergedError : SharedError {
  explicit DivergedError(const std::string& message) : SharedError(ExitCode::kCheckFailed, message) {}
};

// One rank's loop, for who turns it another way.
class RankLoop {
 public:
  virtual int rank() const = 0;
  virtual void train_step(int64_t step) = 0;
  virtual void evaluate(int64_t step) = 0;
  virtual bool is_time_to_evaluate(int64_t step) const = 0;  // after that step, not at the run's end
  virtual ProcessGroup& common() = 0;                        // carries metrics and evaluation
  virtual Recorder& recorder() = 0;

 protected:
  ~RankLoop() = default;
};

// Of one step, over all ranks.
struct StepMetrics {
  int64_t step = 0;  // 0, 1, ...
  double loss = 0;
  std::optional<double> gradient_norm{};  // before clipping; none with clip_norm=0
  double learning_rate = 0;
  double ms = 0;  // rank 0's, from begin to updated parameters
};

// Those of rank 0 are called in each process where ranks are processes, for its own rank: all have the same
// values, so that a program computes the same in all of them.
struct TrainerHooks : WorldHooks {
  RunControl* control = nullptr;  // null: runs to the end
  // Rank 0, before its first step: the run may go on, and has taken so many steps
  // (CheckpointOptions::resume).
  std::function<void(int64_t resumed_at)> on_begin;
  std::function<void(int64_t step)> on_step;           // rank 0, after each step
  std::function<void(const StepMetrics&)> on_metrics;  // rank 0, after each step, before an evaluation
  // Rank 0, after each evaluation: the mean loss of the held-out samples.
  std::function<void(RankLoop& loop, int64_t step, double loss)> on_evaluation;
  // On each rank's thread, after each step. None: it evaluates where it is time to.
  std::function<void(RankLoop& loop, int64_t step)> end_step;
  ParameterObserver observe;   // rank 0, every parameter after every step (1, 2, ...)
  ParameterObserver finished;  // rank 0, every parameter once the last step is over
  // Of a parameter, whole, in fp32: what it begins with. A null view, or no function: it is drawn by the
  // seed.
  std::function<ConstView(size_t index)> start;
  Attributes attributes;  // of the section, beside the run's own
};

// What came between while a training ran: all that its prediction is told of the run itself.
struct Interruption {
  // Steps that had been taken at the step boundary where rank 0's answer was "cancel"; none: it was not.
  std::optional<int64_t> cancelled_after{};
  // Those behind which nothing got better (TrainingConfig::watch); none: it took all its steps.
  std::optional<int64_t> stopped_after{};
  int64_t resumed_at = 0;  // those of the run whose checkpoint this one goes on from
};

struct TrainResult {
  bool complete = false;  // false: cancelled at a step boundary; one that stopped early is complete
  int64_t steps = 0;      // that were completed, those before it resumed among them
  // Of this run's own steps, the first of which is interruption.resumed_at:
  std::vector<double> loss;           // (steps) mean over the global batch
  std::vector<double> gradient_norm;  // (steps) before clipping; empty with clip_norm=0
  std::vector<double> step_ms;        // (steps) rank 0, from begin to updated parameters
  int64_t evaluations = 0;
  double evaluation_loss = 0;     // of the last evaluation
  double accuracy = 0;            // held-out, of the last evaluation
  int64_t evaluated = 0;          // held-out samples it counted
  std::string parameters_sha256;  // of the whole parameters, and of buffers that the ranks share
  bool ranks_agree = false;       // every rank hashed the same; processes compare when the run is over
  // Of buffers that each rank has its own values of, as the running statistics of norm=batch; "": there is
  // none.
  std::string own_buffers_sha256;
  Interruption interruption;
  std::optional<EarlyStop::Best> best{};  // of what is watched, over the whole run
};

// Trains as section `section` of the store. Throws typed errors (comm/errors.h, base/error.h); where a
// collective failed, the merged report of the flight recorders stands behind the message, and in the
// section's attribute "flight report";
// a cancelled run is no error (CancelledError where ranks do not agree on steps). Each rank computes on one
// thread, for sums over several threads round differently; LibTorch's and OpenBLAS's numbers of threads are
// afterwards what they were. Other settings of the process are its program's: base/prepare_process.h.
TrainResult train(const TrainingConfig& config, const Task& task, TraceStore& store,
                  const std::string& section, const TrainerHooks& hooks = {});

// The same run as the planner sees it, from what it was given: nothing that it counted is believed.
// `observed`: with hooks.observe, for which parameters are collected after every step.
ZeroRunSetup planned_run(const TrainingConfig& config, std::shared_ptr<const Task> task,
                         const Interruption& interruption, bool observed = false);

// The classifier's; the Task refers to the dataset.
std::shared_ptr<const Task> classifier_task(const TrainerConfig& config, const Dataset& dataset);
TrainResult train(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                  const std::string& section, const TrainerHooks& hooks = {});

}  // namespace ringside::inline training
