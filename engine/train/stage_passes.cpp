#include "stage_passes.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/ledger/ledger.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/planner/pipeline_parts.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline training {
namespace {

// A message's buffer is no activation: those live from their forward to their backward.
constexpr char kInputOfPart[] = "a part's input";
constexpr char kGradientOfInput[] = "gradient of a part's input",
               kGradientOfOutput[] = "gradient of a part's output";

std::vector<UnitRange> parts_of(const TrainingConfig& config, const Task& task,
                                const PipelineSchedule& schedule) {
  if (schedule.parts() == 1) return {};
  return units_of_parts(std::ssize(task.declare().unit_names()) - 2, schedule.parts(), config.part_layers);
}

}  // namespace

StagePasses::StagePasses(const RankParts& rank, Remarks& remarks)
    : rank_(rank),
      remarks_(remarks),
      stages_(rank.groups.site.over(kPipeline)),
      schedule_(schedule_of_run(rank.config, rank.groups.mesh.size(kPipeline))),
      parts_(parts_of(rank.config, rank.task, schedule_)),
      is_split_(std::ranges::count(list(), StepPass::kBackwardInput, &StepPass::kind) > 0),
      sampler_(rank.task.count(Split::kTrain), rank.config.batch, rank.config.accumulate, rank.config.seed,
               rank.task.lengths()) {
  for (const StepPass& pass : list())
    if (pass.kind != StepPass::kForward) last_ = pass;
}

const StepSchedule& StagePasses::list() const {
  return schedule_.of_stage.at(size_t(stages_ == nullptr ? 0 : stages_->rank()));
}

Score StagePasses::train(int64_t step, const StepNumbers& numbers) {
  step_ = step, numbers_ = numbers, own_ = {};
  run_step(schedule_, stages_, *this);
  return own_;
}

ModelOutput StagePasses::evaluate(const Batch& batch) {
  if (stages_ == nullptr)
    return rank_.model.forward(batch, {.mode = Mode::kEvaluate, .hooks = &rank_.strategy});
  held_out_ = &batch;
  run_forward(schedule_, stages_, *this, 0);
  held_out_ = nullptr;
  ModelOutput output;
  for (auto& [key, pass] : forwarded_)
    if (pass.output.logits.defined()) output = std::move(pass.output);
  forwarded_.clear();
  return output;
}

const Batch& StagePasses::batch_of(const StepPass& pass) {
  Batch& batch = forwarded_[{pass.micro, pass.chunk}].batch;
  if (batch.tokens.defined()) return batch;
  const MemoryScope scope(Category::kOther, "", "batch");
  if (held_out_ != nullptr) return batch = *held_out_;
  const TrainingPass own{samples_of(pass.micro), numbers_.draws, pass.micro};
  return batch = on(rank_.model.parameters().device, rank_.task.training_batch(rank_.model, own));
}

std::vector<int64_t> StagePasses::samples_of(int64_t micro) {
  const ProcessGroup& data = rank_.groups.data;
  return sampler_.indices(numbers_.samples, micro, data.rank(), data.size());
}

DropoutDraws StagePasses::draws_of(int64_t micro) const {
  const TrainingConfig& config = rank_.config;
  const ProcessGroup& data = rank_.groups.data;
  return dropout_draws(config.seed, numbers_.draws * config.accumulate + micro,
                       rank_slice(config.batch, data.rank(), data.size()).begin);
}

UnitRange StagePasses::units_of(int chunk) const {
  return parts_.at(size_t(schedule_.part_of(stages_->rank(), chunk)));
}

MutableView StagePasses::room_for(const StepPass& receiver) {
  Forwarded& pass = forwarded_[{receiver.micro, receiver.chunk}];
  if (receiver.kind == StepPass::kForward) {
    const MemoryScope scope(Category::kOther, "", kInputOfPart);
    pass.input = rank_.model.room_for_input(batch_of(receiver));
    return view_of(pass.input);
  }
  const MemoryScope scope(Category::kOther, "", kGradientOfOutput);
  pass.gradient = at::empty_like(pass.output.hidden, pass.output.hidden.options().requires_grad(false));
  return view_of(pass.gradient);
}

ConstView StagePasses::result_of(const StepPass& sender) {
  if (sender.kind != StepPass::kForward) return view_of(back_.at({sender.micro, sender.chunk}));
  const at::Tensor& hidden = forwarded_.at({sender.micro, sender.chunk}).output.hidden;
  RINGSIDE_CHECK(hidden.is_contiguous(), "what a part puts out is sent as it lies");
  return view_of(hidden);
}

void StagePasses::sent(const StepPass& sender) {
  if (sender.kind != StepPass::kForward) back_.erase({sender.micro, sender.chunk});
}

void StagePasses::hand_over(const StepPass& from, const StepPass& to) {
  const Key own{from.micro, from.chunk}, next{to.micro, to.chunk};
  if (from.kind == StepPass::kForward)
    forwarded_[next].input = forwarded_.at(own).output.hidden.detach();
  else
    forwarded_.at(next).gradient = back_.extract(own).mapped();
}

void StagePasses::compute(const StepPass& pass) {
  const int64_t start = now_ns();
  const double start_cpu = thread_cpu_ns();
  if (pass.kind == StepPass::kForward)
    forward(pass);
  else if (pass.kind == StepPass::kBackwardWeight)
    weights(pass);
  else
    backward(pass);
  if (stages_ != nullptr && held_out_ == nullptr) record(pass, start, start_cpu);
}

ModelOutput StagePasses::run(const Forwarded& pass, const StepPass& which, Mode mode) {
  Context context{.mode = mode,
                  .hooks = &rank_.strategy,
                  .statistics = mode == Mode::kTrain ? rank_.groups.statistics : nullptr,
                  .recompute = mode == Mode::kTrain && rank_.config.recompute};
  if (mode == Mode::kTrain) context.draws = draws_of(which.micro);
  if (stages_ != nullptr) context.units = units_of(which.chunk), context.input = pass.input;
  return rank_.model.forward(pass.batch, context);
}

void StagePasses::forward(const StepPass& pass) {
  batch_of(pass);
  const MemoryScope scope(Category::kActivations);
  Forwarded& own = forwarded_[{pass.micro, pass.chunk}];
  if (held_out_ != nullptr) {
    own.output = run(own, pass, Mode::kEvaluate);
    return;
  }
  if (own.input.defined()) {
    own.input.set_requires_grad(true);
    book_as(own.input, Category::kActivations, "", kInputOfPart);
  }
  {
    std::optional<WeightGradients::Scope> split;
    if (is_split_) split.emplace(own.later);
    own.output = run(own, pass, Mode::kTrain);
  }
  if (!own.output.logits.defined()) return;
  own.loss = rank_.task.loss(own.output, own.batch);
  const auto value = double(own.loss.item<float>());
  remarks_.own_loss(value);
  own_.loss += value;
  own_.samples += double(samples_of(pass.micro).size());
}

void StagePasses::backward(const StepPass& pass) {
  Forwarded& own = forwarded_.at({pass.micro, pass.chunk});
  rank_.strategy.begin_micro_batch(pass == last_);
  {
    const MemoryScope scope(Category::kActivations);
    if (own.loss.defined())
      run_backward(own.loss);
    else
      run_backward(own.output.hidden, own.gradient);
    if (own.input.defined()) {
      at::Tensor& gradient = back_[{pass.micro, pass.chunk}];
      gradient = std::exchange(own.input.mutable_grad(), {}).contiguous();
      book_as(gradient, Category::kOther, "", kGradientOfInput);
    }
    if (pass.kind == StepPass::kBackwardInput) {
      WeightGradients later = std::move(own.later);  // of the pass this alone is kept
      own = {};
      own.later = std::move(later);
    } else {
      forwarded_.erase({pass.micro, pass.chunk});
    }
  }
  rank_.strategy.end_micro_batch();
  const TrainingConfig& config = rank_.config;
  if (config.no_sync && config.stage >= 2 && pass.micro + 2 == config.accumulate)
    rank_.recorder.note(kBetweenMicroBatches, step_);
}

void StagePasses::weights(const StepPass& pass) {
  rank_.strategy.begin_micro_batch(pass == last_);
  {
    const MemoryScope scope(Category::kActivations);
    auto own = forwarded_.extract(Key{pass.micro, pass.chunk});
    own.mapped().later.add();
  }
  rank_.strategy.end_micro_batch();
}

void StagePasses::record(const StepPass& pass, int64_t start_ns, double start_cpu_ns) {
  const MemoryHook* const memory = MemoryHook::current();
  record_row<PipelinePass>(rank_.recorder,
                           {.step = step_,
                            .pass = text_of(pass, schedule_.chunks),
                            .kind = int64_t{pass.kind},
                            .micro = pass.micro,
                            .chunk = pass.chunk,
                            .start_ns = start_ns,
                            .end_ns = now_ns(),
                            .cpu_ns = int64_t(thread_cpu_ns() - start_cpu_ns),
                            .activations = memory == nullptr ? 0 : memory->live(Category::kActivations)});
}

}  // namespace ringside::inline training
