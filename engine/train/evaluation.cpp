#include "evaluation.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "ringside/data/sampler.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside {
namespace {

constexpr int64_t kNoLabel = -100;  // of a row that only pads, as in Hugging Face

// As many forwards as the longest slice needs, on every rank: ZeRO-3 gathers in each of them.
int64_t count_batches(const TrainerConfig& config, const Dataset& dataset) {
  const int64_t longest = rank_slice(static_cast<int64_t>(dataset.test.size()), 0, config.ranks).size();
  return std::max<int64_t>(1, (longest + config.evaluation_rows - 1) / config.evaluation_rows);
}

}  // namespace

Evaluation::Evaluation(const TrainerConfig& config, const Dataset& dataset, Model& model, Strategy& strategy,
                       ProcessGroup& group, Recorder& recorder)
    : config_(config),
      dataset_(dataset),
      model_(model),
      strategy_(strategy),
      group_(group),
      recorder_(recorder),
      batches_(count_batches(config, dataset)) {}

EvaluationResult Evaluation::run(int64_t step) {
  const at::NoGradGuard no_grad;
  const SpanScope span(recorder_, "evaluate", step);
  OutputGather outputs(group_, config_.gather_transfer, config_.gather_chunk);
  strategy_.set_purpose("evaluation");
  const Sums sums = config_.evaluation_gather == EvaluationGather::kCounts ? count() : gather(step, outputs);
  strategy_.set_purpose("parameters");
  return {.loss = sums.loss / sums.samples,
          .accuracy = sums.correct / sums.samples,
          .samples = static_cast<int64_t>(sums.samples),
          .gathered_bytes = outputs.received_bytes()};
}

std::vector<int64_t> Evaluation::indices(int64_t batch) const {
  const Slice slice = rank_slice(static_cast<int64_t>(dataset_.test.size()), group_.rank(), group_.size());
  const int64_t begin = slice.begin + batch * config_.evaluation_rows;
  std::vector<int64_t> result;
  for (int64_t i = begin; i < std::min(slice.end, begin + config_.evaluation_rows); ++i) result.push_back(i);
  return result;
}

ModelOutput Evaluation::forward(const Batch& batch) {
  return model_.forward(batch, {.mode = Mode::kEvaluate, .hooks = &strategy_});
}

Evaluation::Sums Evaluation::count() {
  Sums own;
  for (int64_t b = 0; b < batches_; ++b) {
    const MemoryScope scope(Category::kActivations);
    const Batch batch = make_batch(dataset_.test, indices(b));
    add(own, forward(batch).logits, batch);
  }
  double sums[3] = {own.loss, own.correct, own.samples};
  group_.all_reduce({sums, 3, Dtype::kFloat64}, {"evaluation", ""})->wait();
  return {sums[0], sums[1], sums[2]};
}

Evaluation::Sums Evaluation::gather(int64_t step, OutputGather& gather) {
  // Equal shapes on all ranks, whatever their samples: an all-gather wants them.
  const BatchShape shape{config_.evaluation_rows, config_.max_tokens};
  std::vector<Gathered> kept;
  for (int64_t b = 0; b < batches_; ++b) {
    const MemoryScope scope(Category::kActivations);
    const Batch batch = make_batch(dataset_.test, indices(b), shape);
    const ModelOutput output = forward(batch);
    const std::string unit = "batch " + std::to_string(b);
    const SpanScope span(recorder_, "gather outputs", step, unit);
    kept.push_back(gather_batch(output, batch, unit, gather));
  }
  Sums sums;
  for (const Gathered& batch : kept) {
    const MemoryScope scope(Category::kActivations);
    const at::Tensor labels = batch.labels.flatten();
    Batch whole;
    whole.labels = labels.clamp_min(0);
    whole.weights = labels.ne(kNoLabel).to(at::kFloat);
    add(sums, batch.logits.flatten(0, 1), whole);
  }
  return sums;
}

Evaluation::Gathered Evaluation::gather_batch(const ModelOutput& output, const Batch& batch,
                                              const std::string& unit, OutputGather& gather) const {
  Gathered result;
  result.logits = gather.whole(output.logits, {"evaluation", unit}, "logits");
  const at::Tensor labels = batch.labels.masked_fill(batch.weights.eq(0), kNoLabel);
  result.labels = gather.whole(labels, {"evaluation", unit}, "labels");
  if (config_.evaluation_gather != EvaluationGather::kOutputs) return result;
  const std::vector<std::string>& names = model_.parameters().unit_names;
  for (size_t i = 0; i < output.hidden_states.size(); ++i) {
    const Tag tag{"evaluation hidden states", unit + ", " + names[i]};
    result.others.push_back(gather.by_transfer(output.hidden_states[i], tag, "hidden states"));
  }
  for (size_t i = 0; i < output.attentions.size(); ++i) {
    const Tag tag{"evaluation attentions", unit + ", " + names[i + 1]};  // unit 0 is the embedding
    result.others.push_back(gather.by_transfer(output.attentions[i], tag, "attentions"));
  }
  return result;
}

void Evaluation::add(Sums& sums, const at::Tensor& logits, const Batch& batch) {
  sums.loss += weighted_loss(logits, batch).item<float>();
  sums.correct += (logits.argmax(1).eq(batch.labels).to(at::kFloat) * batch.weights).sum().item<float>();
  sums.samples += batch.weights.sum().item<float>();
}

}  // namespace ringside
