#include "rank_trainer.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "batches.h"
#include "ringside/base/clock.h"
#include "ringside/base/sha256.h"
#include "ringside/comm/step_boundary.h"
#include "ringside/ledger/ledger.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside {
namespace {

StrategyOptions strategy_options(const TrainerConfig& config) {
  StrategyOptions options;
  options.stage = config.stage;
  options.naive = config.naive;
  options.precision = config.precision;
  options.reduce = config.reduce;
  options.bucket_elements = config.bucket_elements;
  options.overlap = config.overlap;
  options.prefetch = config.prefetch;
  options.reshard = config.reshard;
  options.clip_norm = config.clip_norm;
  return options;
}

}  // namespace

RankTrainer::RankTrainer(const TrainerConfig& config, const Dataset& dataset, ProcessGroup& group,
                         Recorder& recorder, const TrainerHooks& hooks)
    : config_(config),
      dataset_(dataset),
      group_(group),
      recorder_(recorder),
      hooks_(hooks),
      sampler_(static_cast<int64_t>(dataset.train.size()), config.batch, config.accumulate, config.seed),
      optimizer_(make_optimizer(config.optimizer)),
      model_(config.model, config.max_tokens) {
  ParameterSet& parameters = model_.parameters();
  strategy_ = make_strategy(parameters, group, *optimizer_, strategy_options(config), &recorder);
  strategy_->load(
      [&](size_t p, at::Tensor out) { initialize(std::move(out), parameters.shapes[p], config_.seed); });
  recorder_.note(kAfterConstruction);
}

TrainResult RankTrainer::run() {
  RunControl nobody;
  RunControl& control = hooks_.control != nullptr ? *hooks_.control : nobody;
  for (int64_t step = 0; step < config_.steps; ++step) {
    if (!pass_step_boundary(group_, control, result_.control_decisions)) break;
    train_step(step);
    ++result_.steps;
    const bool last = step + 1 == config_.steps;
    if (config_.evaluate_every > 0 && !last && (step + 1) % config_.evaluate_every == 0) evaluate(step);
    if (hooks_.on_step && group_.rank() == 0) hooks_.on_step(step);
  }
  result_.complete = result_.steps == config_.steps;
  if (config_.hash_state && result_.steps > 0) strategy_->note_hashes(result_.steps - 1);
  if (config_.evaluate_every >= 0) evaluate(result_.steps - 1);
  hash_parameters();
  return std::move(result_);
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
  const std::vector<int64_t> indices = sampler_.indices(step, micro, group_.rank(), group_.size());
  strategy_->begin_micro_batch(micro + 1 == config_.accumulate);
  double loss_sum = 0;
  {
    MemoryScope scope(Category::kActivations);
    const Batch batch = make_batch(dataset_.train, indices);
    const at::Tensor loss = weighted_loss(model_.logits(batch, *strategy_), batch);
    loss_sum = loss.item<float>();
    run_backward(loss);
  }
  strategy_->end_micro_batch();
  return loss_sum;
}

void RankTrainer::record_metrics(int64_t step, double loss_sum, double norm) {
  double sums[2] = {loss_sum, 0};
  for (int64_t micro = 0; micro < config_.accumulate; ++micro) {
    sums[1] += static_cast<double>(sampler_.indices(step, micro, group_.rank(), group_.size()).size());
  }
  group_.all_reduce({sums, 2, Dtype::kFloat64}, {"metrics", ""})->wait();
  result_.loss.push_back(sums[0] / sums[1]);
  result_.gradient_norm.push_back(norm);
  if (group_.rank() != 0) return;
  recorder_.scalar("loss", step, result_.loss.back());
  recorder_.scalar("gradient norm", step, norm);
  recorder_.scalar("step time", step, result_.step_ms.back());
}

void RankTrainer::evaluate(int64_t step) {
  at::NoGradGuard no_grad;
  SpanScope span(recorder_, "evaluate", step);
  strategy_->set_purpose("evaluation");
  const auto count = static_cast<int64_t>(dataset_.test.size());
  const Slice slice = rank_slice(count, group_.rank(), group_.size());
  // As many forwards as the longest slice needs, on every rank: ZeRO-3 gathers in each of them.
  const int64_t batches =
      std::max<int64_t>(1, (rank_slice(count, 0, group_.size()).size() + config_.evaluation_rows - 1) /
                               config_.evaluation_rows);
  double sums[3] = {0, 0, 0};  // loss, correct, samples
  for (int64_t b = 0; b < batches; ++b) {
    std::vector<int64_t> indices;
    for (int64_t i = slice.begin + b * config_.evaluation_rows;
         i < std::min(slice.end, slice.begin + (b + 1) * config_.evaluation_rows); ++i) {
      indices.push_back(i);
    }
    MemoryScope scope(Category::kActivations);
    const Batch batch = make_batch(dataset_.test, indices);
    const at::Tensor logits = model_.logits(batch, *strategy_);
    sums[0] += weighted_loss(logits, batch).item<float>();
    sums[1] += (logits.argmax(1).eq(batch.labels).to(at::kFloat) * batch.weights).sum().item<float>();
    sums[2] += static_cast<double>(indices.size());
  }
  strategy_->set_purpose("parameters");
  group_.all_reduce({sums, 3, Dtype::kFloat64}, {"evaluation", ""})->wait();
  ++result_.evaluations;
  result_.evaluation_batches += batches;
  result_.evaluated = static_cast<int64_t>(sums[2]);
  result_.evaluation_loss = sums[0] / sums[2];
  result_.accuracy = sums[1] / sums[2];
  if (group_.rank() == 0) recorder_.scalar("accuracy", step, result_.accuracy);
}

void RankTrainer::observe(int64_t step) {
  const ParameterSet& parameters = model_.parameters();
  strategy_->visit_parameters([&](size_t p, const at::Tensor& tensor) {
    if (group_.rank() != 0) return;
    hooks_.observe(step, p,
                   {&parameters.shapes[p].name, tensor.data_ptr(), tensor.numel(), dtype_of(tensor)});
  });
  ++result_.exports;
}

void RankTrainer::hash_parameters() {
  Sha256 hash;
  strategy_->visit_parameters([&](size_t p, const at::Tensor& tensor) {
    hash.update(model_.parameters().shapes[p].name);
    hash.update(tensor.data_ptr(), static_cast<size_t>(tensor.numel() * tensor.element_size()));
  });
  ++result_.exports;
  result_.parameters_sha256 = hash.hex();
}

}  // namespace ringside
