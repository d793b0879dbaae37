#include "ringside/nn/confusion_evaluation.h"

#include "ringside/nn/evaluation.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside::inline nn {
namespace {

class ConfusionEvaluation final : public Evaluation {
 public:
  ConfusionEvaluation(int64_t classes, SeeConfusion see) : classes_(classes), see_(std::move(see)) {}

  Score run(const HeldOut& held_out, int64_t step) const override {
    std::vector<double> sums(size());
    for (int64_t b = 0; b < held_out.batches(); ++b) {
      const MemoryScope scope(Category::kActivations);
      const Batch batch = held_out.batch(b);
      const ModelOutput output = held_out.forward(batch);
      if (!output.logits.defined()) continue;
      const Score own = held_out.task.score(output, batch);
      sums[0] += own.loss, sums[1] += own.samples;
      count(output.logits, batch, sums);
    }
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

std::shared_ptr<const Evaluation> confusion_evaluation(int64_t classes, SeeConfusion see) {
  Confusion{classes};  // so many are allowed
  return std::make_shared<ConfusionEvaluation>(classes, std::move(see));
}

}  // namespace ringside::inline nn
