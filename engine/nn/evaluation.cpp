#include "ringside/nn/evaluation.h"

#include "ringside/data/sampler.h"
#include "ringside/planner/run_rows.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside::inline nn {
namespace {

// Of this rank's batches; where a pipeline's head is on another stage, of none.
template <typename Take>
void for_each_output(const HeldOut& held_out, const Take& take) {
  for (int64_t b = 0; b < held_out.batches(); ++b) {
    const MemoryScope scope(Category::kActivations);
    const Batch batch = held_out.batch(b);
    const ModelOutput output = held_out.forward(batch);
    if (output.logits.defined()) take(output, batch);
  }
}

class ConfusionEvaluation final : public Evaluation {
 public:
  ConfusionEvaluation(int64_t classes, SeeConfusion see) : classes_(classes), see_(std::move(see)) {}

  Score run(const HeldOut& held_out, int64_t step) const override {
    std::vector<double> sums(size());
    for_each_output(held_out, [&](const ModelOutput& output, const Batch& batch) {
      const Score own = held_out.task.score(output, batch);
      sums[0] += own.loss, sums[1] += own.samples;
      count(output.logits, batch, sums);
    });
    held_out.group.all_reduce({sums.data(), std::ssize(sums), Dtype::kFloat64}, {"evaluation", ""})->wait();
    return result_of(sums, step, held_out.recorder.rank());
  }

  void predict(int64_t evaluations, int64_t, RankRows& rows) const override {
    rows.all_reduce("evaluation", evaluations, static_cast<int64_t>(size()), Dtype::kFloat64);
  }

 private:
  size_t size() const { return static_cast<size_t>(2 + classes_ * classes_); }

  void count(const at::Tensor& logits, const Batch& batch, std::vector<double>& sums) const {
    const at::Tensor answers = logits.argmax(1).to(at::kCPU).contiguous();
    const at::Tensor labels = batch.labels.to(at::kCPU).contiguous();
    const at::Tensor weights = batch.weights.to(at::kCPU).contiguous();
    for (int64_t row = 0; row < answers.size(0); ++row)
      if (weights.data_ptr<float>()[row] != 0)
        sums[static_cast<size_t>(2 + labels.data_ptr<int64_t>()[row] * classes_ +
                                 answers.data_ptr<int64_t>()[row])] += 1;
  }

  Score result_of(const std::vector<double>& sums, int64_t step, int rank) const {
    Confusion counts(classes_);
    Score score{.loss = sums[0], .samples = sums[1]};
    for (int64_t label = 0; label < classes_; ++label)
      for (int64_t answer = 0; answer < classes_; ++answer) {
        const double times = sums[static_cast<size_t>(2 + label * classes_ + answer)];
        counts.add(label, answer, static_cast<int64_t>(times));
        if (label == answer) score.correct += times;
      }
    score.macro_f1 = counts.macro_f1();
    if (see_ && rank == 0) see_(step, counts, score.loss / score.samples);
    return score;
  }

  const int64_t classes_;
  const SeeConfusion see_;
};

}  // namespace

Score score_of(const at::Tensor& logits, const Batch& batch) {
  return {weighted_loss(logits, batch).item<float>(),
          (logits.argmax(1).eq(batch.labels).to(at::kFloat) * batch.weights).sum().item<float>(),
          batch.weights.sum().item<float>()};
}

Score& operator+=(Score& sum, const Score& more) {
  sum = {sum.loss + more.loss, sum.correct + more.correct, sum.samples + more.samples};
  return sum;
}

int64_t HeldOut::batches() const {
  return count_evaluation_batches(task.count(Split::kHeldOut), data.size(), rows);
}

Batch HeldOut::batch(int64_t index, BatchShape at_least) const {
  const std::vector<int64_t> samples =
      evaluation_samples(task.count(Split::kHeldOut), data.rank(), data.size(), rows, index);
  return on(model.parameters().device, task.batch(Split::kHeldOut, samples, at_least));
}

Score add_up_scores(const HeldOut& held_out) {
  Score own;
  for_each_output(held_out, [&](const ModelOutput& output, const Batch& batch) {
    own += held_out.task.score(output, batch);
  });
  double sums[3] = {own.loss, own.correct, own.samples};
  held_out.group.all_reduce_now({sums, 3, Dtype::kFloat64}, {"evaluation", ""});
  return {sums[0], sums[1], sums[2]};
}

std::shared_ptr<const Evaluation> confusion_evaluation(int64_t classes, SeeConfusion see) {
  Confusion{classes};  // so many are allowed
  return std::make_shared<ConfusionEvaluation>(classes, std::move(see));
}

}  // namespace ringside::inline nn
