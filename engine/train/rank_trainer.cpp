
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checkpoints.h"
#include "remarks.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/base/sha256.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/step_boundary.h"
#include "ringside/ledger/ledger.h"
#include "ringside/nn/evaluation.h"
#include "ringside/nn/task.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"
#include "ringside/zero/make_strategy.h"
#include "run_groups.h"
#include "stage_passes.h"

namespace ringside::inline training {
namespace {

class RankTrainer final : public RankLoop {
 public:
  RankTrainer(const TrainingConfig& config, const Task& task, World& world, Recorder& recorder,
              const TrainerHooks& hooks)
      : config_(config),
        task_(task),
        declared_(task.declare()),
        groups_(world, config, declared_),
        common_(groups_.common),
        rank_(world.rank()),
        speaks_(rank_ == 0 || hooks.process),
        recorder_(recorder),
        hooks_(hooks),
        optimizer_(make_optimizer(config.optimizer, config.device)),
        model_(task.make(groups_.site)),
        strategy_(make({model_->parameters(), groups_.data, optimizer_, config, &recorder_, groups_.inside,
                        groups_.between, groups_.copy, groups_.tied})),
        remarks_(config, model_->parameters(), groups_.inside != nullptr ? *groups_.inside : groups_.data,
                 recorder_),
        passes_({config, task, groups_, *model_, *strategy_, recorder_}, remarks_),
        checkpoints_({config, task, groups_, *model_, *strategy_, recorder_}),
        watch_(config.watch) {}

  // Collective from its first line on: parameters are loaded here, not in the constructor, so that what was
  // built outlives whatever a peer may still read.
  TrainResult run(bool begin) {
    try {
      return train(begin);
    } catch (const PeerLostError&) {
      checkpoints_.throw_own_error();
      throw;
    }
  }

  int rank() const override { return rank_; }
  ProcessGroup& common() override { return common_; }
  Recorder& recorder() override { return recorder_; }

  bool is_time_to_evaluate(int64_t step) const override {
    const int64_t done = step + 1;
    return config_.evaluate_every > 0 && done < config_.steps && done % config_.evaluate_every == 0;
  }

  void train_step(int64_t step) override {
    const int64_t start = now_ns();
    const SpanScope span(recorder_, "step", step);
    strategy_->begin_step(step);
    remarks_.begin_step(step);
    const StepNumbers numbers = checkpoints_.numbers(step);
    const Score own = passes_.train(step, numbers);
    recorder_.note(kStepEntry, step);

    const StepOptions options{.learning_rate = config_.learning_rate_at(numbers.rate),
                              .step = numbers.update + 1,
                              .samples = double(config_.batch * config_.accumulate)};
    std::optional<double> norm;
    {
      const SpanScope update(recorder_, "update", step);
      norm = strategy_->step(options);
    }
    if (config_.device != Device::kCpu) device_kernels().wait();
    recorder_.note(kAfterStep, step);
    result_.step_ms.push_back(double(now_ns() - start) * 1e-6);
    record_metrics(step, own, norm, options.learning_rate);
    if (hooks_.observe) observe(step + 1);
  }

  void evaluate(int64_t step) override {
    const at::NoGradGuard no_grad;
    const HeldOut held_out{.task = task_,
                           .rows = config_.evaluation_rows,
                           .model = *model_,
                           .data = groups_.data,
                           .group = common_,
                           .recorder = recorder_,
                           .forward = [this](const Batch& batch) { return passes_.evaluate(batch); }};
    Score score;
    {
      const SpanScope span(recorder_, "evaluate", step);
      strategy_->set_purpose("evaluation");
      score = config_.evaluation ? config_.evaluation->run(held_out, step) : add_up_scores(held_out);
      strategy_->set_purpose("parameters");
    }
    ++result_.evaluations;
    result_.evaluated = int64_t(score.samples);
    result_.evaluation_loss = score.loss / score.samples;
    result_.accuracy = score.correct / score.samples;
    if (hooks_.on_evaluation && speaks_) hooks_.on_evaluation(*this, step, result_.evaluation_loss);
    if (rank_ == 0) recorder_.scalar("accuracy", step, result_.accuracy);
    watch(step + 1, score);
  }

 private:
  TrainResult train(bool begin) {
    result_.steps = result_.interruption.resumed_at = checkpoints_.resume(watch_);
    if (result_.steps == 0) load();
    if (hooks_.on_begin && speaks_) hooks_.on_begin(result_.steps);
    recorder_.note(kAfterConstruction);
    remarks_.at_start();
    if (!begin) result_.interruption.cancelled_after = result_.steps;
    RunControl nobody;
    RunControl& control = hooks_.control != nullptr ? *hooks_.control : nobody;
    for (int64_t step = result_.steps; begin && step < config_.steps && !watch_.is_over(); ++step) {
      if (hooks_.faults != nullptr) hooks_.faults->begin_step(rank_, step);
      if (config_.agree_on_steps && !pass_step_boundary(groups_.all, control)) {
        result_.interruption.cancelled_after = step;
        break;
      }
      train_step(step);
      ++result_.steps;
      if (hooks_.end_step)
        hooks_.end_step(*this, step);
      else if (is_time_to_evaluate(step))
        evaluate(step);
      // Behind the evaluation, which a run that goes on from here does not repeat.
      checkpoints_.after_step(step, watch_);
      if (hooks_.on_step && speaks_) hooks_.on_step(step);
    }
    if (watch_.is_over() && result_.steps < config_.steps) result_.interruption.stopped_after = result_.steps;
    result_.complete = result_.steps == config_.steps || result_.interruption.stopped_after;
    // A run that goes on from a complete one does not repeat its last evaluation. One that was cancelled
    // saves first.
    if (result_.complete) evaluate_last();
    checkpoints_.at_the_end(result_.steps, watch_);
    if (config_.hash_state && result_.steps > 0) {
      strategy_->note_hashes(result_.steps - 1);
      model_->buffers().note_hashes(recorder_, result_.steps - 1);
    }
    if (!result_.complete) evaluate_last();
    checkpoints_.settle();
    result_.best = watch_.best();
    hash_parameters();
    close();
    return std::move(result_);
  }

  void evaluate_last() {
    const bool stopped_here = result_.interruption.stopped_after == evaluated_after_;
    if (config_.evaluate_every >= 0 && !stopped_here) evaluate(result_.steps - 1);
  }

  std::unique_ptr<Strategy> make(const StrategySetup& setup) const {
    if (setup.parameters.device != torch_device(config_.device))
      throw UsageError("device=cuda: this model computes on the CPU alone");
    return config_.strategy ? config_.strategy->make(setup) : make_strategy(setup);
  }

  void load() {
    const ParameterSet& set = model_->parameters();
    strategy_->load([&](size_t p, at::Tensor out) {
      const ParameterShape& whole = declared_.shapes()[p];
      const ConstView start = hooks_.start ? hooks_.start(p) : ConstView();
      if (start.data != nullptr)
        begin_with(start, whole, set.part_of(p), out);
      else if (const Part* part = set.part_of(p))
        initialize_part(std::move(out), whole, *part, config_.seed);
      else
        initialize(std::move(out), whole, config_.seed);
    });
    model_->buffers().load(groups_.data);
  }

  // One at a step where the run was cancelled is none of the run's: it would not be there without.
  void watch(int64_t steps, const Score& score) {
    if (result_.interruption.cancelled_after || std::exchange(evaluated_after_, steps) == steps) return;
    const bool by_loss = config_.watch.what == WatchedValue::kLoss;
    const bool by_f1 = config_.watch.what == WatchedValue::kMacroF1;
    const double value = by_loss ? result_.evaluation_loss : by_f1 ? score.macro_f1 : result_.accuracy;
    if (watch_.is_better(steps, value)) checkpoints_.keep_best(steps, watch_);
  }

  void record_metrics(int64_t step, const Score& own, std::optional<double> norm, double learning_rate) {
    double sums[2] = {own.loss, own.samples};
    common_.all_reduce_now({sums, 2, Dtype::kFloat64}, {"metrics", ""});
    const double loss = sums[0] / sums[1];
    result_.loss.push_back(loss);
    if (norm) result_.gradient_norm.push_back(*norm);
    if (!std::isfinite(loss) || (norm && !std::isfinite(*norm)))
      throw DivergedError(
          fmt::format("step {}: the loss is {:f}{} on every rank, {}; whose gradient began "
                      "it is not known: check=on looks at each rank's own before they are added",
                      step, loss, norm ? fmt::format(" and the gradient norm {:f}", *norm) : "",
                      loss_so_far({result_.loss.begin(), result_.loss.end() - 1})));
    remarks_.end_step(result_.loss, task_.loss_falls() && result_.interruption.resumed_at == 0);
    if (hooks_.on_metrics && speaks_)
      hooks_.on_metrics({step, loss, norm, learning_rate, result_.step_ms.back()});
    if (rank_ != 0) return;
    recorder_.scalar("loss", step, loss);
    if (norm) recorder_.scalar("gradient norm", step, *norm);
    recorder_.scalar(kStepTime, step, result_.step_ms.back());
    if (config_.device != Device::kCpu)
      recorder_.scalar(kCachedMemory, step, double(MemoryHook::current()->cached()));
  }

  // Parameters, whole, then buffers, on every rank. Collective under ZeRO-3, and where parameters are cut.
  void visit_state(
      const std::function<void(size_t index, const std::string& name, const at::Tensor&)>& visit) const {
    const ParameterSet& parameters = model_->parameters();
    const Buffers& buffers = model_->buffers();
    strategy_->visit_parameters([&](size_t p, const at::Tensor& tensor) {
      const ParameterShape& whole = declared_.shapes()[p];
      visit(p, whole.name, is_cut_over(whole, groups_.mesh) ? whole_of(tensor, whole, groups_) : tensor);
    });
    for (size_t b = 0; b < buffers.names().size(); ++b)
      visit(parameters.shapes.size() + b, buffers.names()[b], buffers.tensors()[b]);
  }

  void observe(int64_t step) {
    visit_state([&](size_t index, const std::string& name, const at::Tensor& tensor) {
      if (speaks_) show(hooks_.observe, step, index, name, tensor);
    });
  }

  // Buffers that are each rank's own are hashed apart: parameters_sha256 says whether ranks have one model.
  void hash_parameters() {
    Sha256 hash, own;
    const std::vector<bool>& is_local = model_->buffers().rank_local();
    const size_t shared = model_->parameters().shapes.size();
    visit_state([&](size_t index, const std::string& name, const at::Tensor& tensor) {
      add_to(index >= shared && is_local[index - shared] ? own : hash, name, tensor);
      if (hooks_.finished && speaks_) show(hooks_.finished, result_.steps, index, name, tensor);
    });
    result_.parameters_sha256 = hash.hex();
    result_.own_buffers_sha256 = std::ranges::count(is_local, true) == 0 ? "" : own.hex();
  }

  // A rank that left out a call is noticed here at the latest. All barriers begin before any is waited for: a
  // rank that has left out a call of one group then meets the others there, with another call, instead of
  // standing in the other group until a deadline.
  void close() {
    std::vector<WorkPtr> barriers;
    for (ProcessGroup* group : groups_.every()) barriers.push_back(group->barrier({"close", ""}));
    wait_all(barriers);
  }

  const TrainingConfig& config_;
  const Task& task_;
  const Declaration declared_;  // whole
  const RunGroups groups_;
  ProcessGroup& common_;
  int rank_;
  const bool speaks_;  // to the hooks: one rank of a process does
  Recorder& recorder_;
  const TrainerHooks& hooks_;
  Optimizer optimizer_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Strategy> strategy_;
  Remarks remarks_;
  StagePasses passes_;
  RunCheckpoints checkpoints_;
  EarlyStop watch_;
  int64_t evaluated_after_ = -1;  // steps, of the newest evaluation
  TrainResult result_;
};

}  // namespace

TrainResult train_rank(const TrainingConfig& config, const Task& task, World& world, Recorder& recorder,
                       const TrainerHooks& hooks, bool begin) {
  return world.make<RankTrainer>(config, task, world, recorder, hooks).run(begin);
}

}  // namespace ringside::inline training
