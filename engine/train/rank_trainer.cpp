#include "rank_trainer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ringside/base/clock.h"
#include "ringside/base/sha256.h"
#include "ringside/comm/step_boundary.h"
#include "ringside/ledger/ledger.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/wrapped_classifier.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside {
namespace {

std::unique_ptr<Model> make_model(const TrainerConfig& config, int rank) {
  const bool here = config.mismatch_rank < 0 || config.mismatch_rank == rank;
  const WrapperOptions options{.version = config.outputs,
                               .attentions = config.attentions,
                               .reaches_inner = !(config.wrapper_mismatch && here)};
  return std::make_unique<WrappedClassifier>(std::make_unique<Classifier>(config.model, config.max_tokens),
                                             options);
}

RankGroups groups_of(const TrainerConfig& config, World& world) {
  ProcessGroup& training = world.group("dp");
  return {training, config.two_groups ? world.group("default") : training};
}

}  // namespace

RankTrainer::RankTrainer(const TrainerConfig& config, const Dataset& dataset, World& world,
                         const TrainerHooks& hooks)
    : config_(config),
      dataset_(dataset),
      groups_(groups_of(config, world)),
      rank_(world.rank()),
      ranks_(world.size()),
      recorder_(*world.recorder()),
      hooks_(hooks),
      sampler_(static_cast<int64_t>(dataset.train.size()), config.batch, config.accumulate, config.seed),
      optimizer_(make_optimizer(config.optimizer)),
      model_(make_model(config, rank_)),
      strategy_(make_strategy({model_->parameters(), groups_.training, optimizer_, config, &recorder_})),
      evaluation_(config, dataset, *model_, *strategy_, groups_.common, recorder_) {}

void RankTrainer::load() {
  const ParameterSet& parameters = model_->parameters();
  strategy_->load(
      [&](size_t p, at::Tensor out) { initialize(std::move(out), parameters.shapes[p], config_.seed); });
  model_->buffers().load(groups_.training);
  recorder_.note(kAfterConstruction);
}

TrainResult RankTrainer::run(bool begin) {
  load();
  if (!begin) result_.interruption.cancelled_after = 0;
  RunControl nobody;
  RunControl& control = hooks_.control != nullptr ? *hooks_.control : nobody;
  for (int64_t step = 0; begin && step < config_.steps; ++step) {
    if (hooks_.faults != nullptr) hooks_.faults->begin_step(rank_, step);
    if (config_.agree_on_steps && !pass_step_boundary(groups_.common, control, result_.interruption.pauses)) {
      result_.interruption.cancelled_after = step;
      break;
    }
    train_step(step);
    ++result_.steps;
    end_step(step);
    if (hooks_.on_step && rank_ == 0) hooks_.on_step(step);
  }
  result_.complete = result_.steps == config_.steps;
  if (config_.hash_state && result_.steps > 0) {
    strategy_->note_hashes(result_.steps - 1);
    model_->buffers().note_hashes(recorder_, result_.steps - 1);
  }
  if (config_.evaluate_every >= 0) evaluate(result_.steps - 1);
  hash_parameters();
  close();
  return std::move(result_);
}

// Faults of the loop around the collectives: each is a mistake that real trainers make.
void RankTrainer::end_step(int64_t step) {
  const FaultInjector* faults = hooks_.faults;
  if (faults != nullptr && faults->has_one_batch_more(rank_, step)) train_step(step + 1);
  const bool last = step + 1 == config_.steps;
  const bool is_time = config_.evaluate_every > 0 && !last && (step + 1) % config_.evaluate_every == 0;
  const bool not_alone = faults == nullptr || !faults->somebody_evaluates_alone(step);
  if (is_time && not_alone) evaluate(step);
  if (faults != nullptr && faults->evaluates_alone(rank_, step)) evaluate(step);
}

void RankTrainer::train_step(int64_t step) {
  const int64_t start = now_ns();
  SpanScope span(recorder_, "step", step);
  double loss_sum = 0;
  strategy_->begin_step(step);
  for (int64_t micro = 0; micro < config_.accumulate; ++micro) loss_sum += micro_batch(step, micro);
  recorder_.note(kStepEntry, step);

  Schedule schedule = config_.schedule;
  schedule.total = config_.steps;
  StepOptions options;
  options.learning_rate = config_.learning_rate * schedule_factor(schedule, step);
  options.step = step + 1;
  options.samples = static_cast<double>(config_.batch * config_.accumulate);
  double norm = 0;
  {
    SpanScope update(recorder_, "update", step);
    norm = strategy_->step(options);
  }
  recorder_.note(kAfterStep, step);
  result_.step_ms.push_back(static_cast<double>(now_ns() - start) * 1e-6);
  record_metrics(step, loss_sum, norm);
  if (hooks_.observe) observe(step + 1);
}

double RankTrainer::micro_batch(int64_t step, int64_t micro) {
  const std::vector<int64_t> indices = sampler_.indices(step, micro, rank_, ranks_);
  strategy_->begin_micro_batch(micro + 1 == config_.accumulate);
  double loss_sum = 0;
  {
    MemoryScope scope(Category::kActivations);
    const Batch batch = make_batch(dataset_.train, indices);
    ModelOutput output = model_->forward(batch, {.mode = Mode::kTrain, .hooks = strategy_.get()});
    const at::Tensor loss = weighted_loss(std::exchange(output.logits, {}), batch);
    loss_sum = loss.item<float>();
    run_backward(loss);
    release(output);  // the source's code holds `outputs` through backward as well
  }
  strategy_->end_micro_batch();
  return loss_sum;
}

void RankTrainer::release(ModelOutput& output) {
  const MemoryHook* memory = MemoryHook::current();
  const int64_t before = memory == nullptr ? 0 : memory->live(Category::kActivations);
  output = {};
  const int64_t after = memory == nullptr ? 0 : memory->live(Category::kActivations);
  result_.held_output_bytes = std::max(result_.held_output_bytes, before - after);
}

void RankTrainer::record_metrics(int64_t step, double loss_sum, double norm) {
  double sums[2] = {loss_sum, 0};
  for (int64_t micro = 0; micro < config_.accumulate; ++micro) {
    sums[1] += static_cast<double>(sampler_.indices(step, micro, rank_, ranks_).size());
  }
  groups_.common.all_reduce({sums, 2, Dtype::kFloat64}, {"metrics", ""})->wait();
  result_.loss.push_back(sums[0] / sums[1]);
  result_.gradient_norm.push_back(norm);
  if (!std::isfinite(result_.loss.back()) || !std::isfinite(norm)) {
    throw DivergedError(
        "step " + std::to_string(step) + ": the loss is " + std::to_string(result_.loss.back()) +
        " and the gradient norm " + std::to_string(norm) +
        " on every rank; whose gradient began it is not known: check=on looks at each rank's own "
        "before they are added");
  }
  if (rank_ != 0) return;
  recorder_.scalar("loss", step, result_.loss.back());
  recorder_.scalar("gradient norm", step, norm);
  recorder_.scalar("step time", step, result_.step_ms.back());
}

void RankTrainer::evaluate(int64_t step) {
  const EvaluationResult evaluation = evaluation_.run(step);
  result_.gathered_bytes.push_back(evaluation.gathered_bytes);
  result_.evaluated = evaluation.samples;
  result_.evaluation_loss = evaluation.loss;
  result_.accuracy = evaluation.accuracy;
  if (rank_ == 0) recorder_.scalar("accuracy", step, result_.accuracy);
}

void RankTrainer::observe(int64_t step) {
  const ParameterSet& parameters = model_->parameters();
  const Buffers& buffers = model_->buffers();
  const auto observe = [&](size_t index, const std::string& name, const at::Tensor& tensor) {
    if (rank_ == 0) hooks_.observe(step, index, {&name, tensor.data_ptr(), tensor.numel(), dtype_of(tensor)});
  };
  strategy_->visit_parameters(
      [&](size_t p, const at::Tensor& tensor) { observe(p, parameters.shapes[p].name, tensor); });
  for (size_t b = 0; b < buffers.names().size(); ++b)
    observe(parameters.shapes.size() + b, buffers.names()[b], buffers.tensors()[b]);
}

void RankTrainer::hash_parameters() {
  Sha256 hash;
  strategy_->visit_parameters([&](size_t p, const at::Tensor& tensor) {
    hash.update(model_->parameters().shapes[p].name);
    hash.update(tensor.data_ptr(), static_cast<size_t>(tensor.numel() * tensor.element_size()));
  });
  model_->buffers().add_to(hash);
  result_.parameters_sha256 = hash.hex();
}

// Both before either is waited for: a rank that has left out a call of one group then meets the others
// there, with another call, instead of standing in the other group until a deadline.
void RankTrainer::close() {
  std::vector<WorkPtr> barriers = {groups_.training.barrier({"close", ""})};
  if (&groups_.common != &groups_.training) barriers.push_back(groups_.common.barrier({"close", ""}));
  wait_all(barriers);
}

}  // namespace ringside
