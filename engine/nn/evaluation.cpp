#include "ringside/nn/evaluation.h"

#include <algorithm>

#include "ringside/data/sampler.h"
#include "ringside/nn/returned_outputs.h"
#include "ringside/nn/tensor_view.h"
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
    rows.all_reduce("evaluation", evaluations, int64_t(size()), Dtype::kFloat64);
  }

 private:
  size_t size() const { return size_t(2 + classes_ * classes_); }

  void count(const at::Tensor& logits, const Batch& batch, std::vector<double>& sums) const {
    const at::Tensor answers = logits.argmax(1).to(at::kCPU).contiguous();
    const at::Tensor labels = batch.labels.to(at::kCPU).contiguous();
    const at::Tensor weights = batch.weights.to(at::kCPU).contiguous();
    for (int64_t row = 0; row < answers.size(0); ++row)
      if (weights.data_ptr<float>()[row] != 0)
        sums[size_t(2 + labels.data_ptr<int64_t>()[row] * classes_ + answers.data_ptr<int64_t>()[row])] += 1;
  }

  Score result_of(const std::vector<double>& sums, int64_t step, int rank) const {
    Confusion counts(classes_);
    Score score{.loss = sums[0], .samples = sums[1]};
    for (int64_t label = 0; label < classes_; ++label)
      for (int64_t answer = 0; answer < classes_; ++answer) {
        const double times = sums[size_t(2 + label * classes_ + answer)];
        counts.add(label, answer, int64_t(times));
        if (label == answer) score.correct += times;
      }
    score.macro_f1 = counts.macro_f1();
    if (see_ && rank == 0) see_(step, counts, score.loss / score.samples);
    return score;
  }

  const int64_t classes_;
  const SeeConfusion see_;
};

constexpr int64_t kNoLabel = -100;  // of a row that only pads, as in Hugging Face

at::Tensor empty_for_ranks(int ranks, const at::Tensor& own) {
  std::vector<int64_t> shape = own.sizes().vec();
  shape.insert(shape.begin(), ranks);
  return at::empty(shape, own.options());
}

// All-gathers of what a model returned: in one piece, in chunks, or compressed.
class OutputGather {
 public:
  OutputGather(ProcessGroup& group, GatherTransfer transfer, int64_t chunk)
      : group_(group), transfer_(transfer), chunk_(chunk) {}

  // own: (...), of the same shape on every rank -> (N, ...), [r] being rank r's. Buffers that it
  // makes are booked as such, with the tag's unit and "gathered" and the given name.
  at::Tensor whole(const at::Tensor& own, const Tag& tag, const std::string& name) {
    const MemoryScope scope(Category::kBuffers, tag.unit, "gathered " + name);
    at::Tensor all = empty_for_ranks(group_.size(), own);
    all_gather(own.contiguous(), all, tag);
    return all;
  }
  at::Tensor by_transfer(const at::Tensor& own, const Tag& tag, const std::string& name) {
    if (transfer_ == GatherTransfer::kChunked) return chunked(own, tag, name);
    return transfer_ == GatherTransfer::kCompressed ? compressed(own, tag, name) : whole(own, tag, name);
  }

 private:
  void all_gather(const at::Tensor& own, const at::Tensor& all, const Tag& tag) {
    group_.all_gather(view_of(own), view_of(all), tag)->wait();
  }

  at::Tensor chunked(const at::Tensor& own, const Tag& tag, const std::string& name) {
    const MemoryScope scope(Category::kBuffers, tag.unit, "gathered " + name);
    at::Tensor all = empty_for_ranks(group_.size(), own);
    const at::Tensor flat = own.contiguous().view({-1});
    const at::Tensor rows = all.view({group_.size(), flat.numel()});
    for (int64_t at = 0; at < flat.numel(); at += chunk_) {
      const int64_t count = std::min(chunk_, flat.numel() - at);
      const MemoryScope staging(Category::kBuffers, tag.unit, "chunk of " + name);
      const at::Tensor pieces = at::empty({group_.size(), count}, own.options());
      all_gather(flat.narrow(0, at, count), pieces, tag);
      rows.narrow(1, at, count).copy_(pieces);
    }
    return all;
  }

  at::Tensor compressed(const at::Tensor& own, const Tag& tag, const std::string& name) {
    at::Tensor small;
    {
      const MemoryScope scope(Category::kBuffers, tag.unit, "compressed " + name);
      small = own.to(at::kBFloat16);
    }
    const at::Tensor all = whole(small, tag, name);
    const MemoryScope scope(Category::kBuffers, tag.unit, "gathered " + name);
    return all.to(own.scalar_type());
  }

  ProcessGroup& group_;
  GatherTransfer transfer_;
  int64_t chunk_;  // elements
};

// Gathers of every batch what the ranks returned for it; each rank scores the whole.
class GatheringEvaluation final : public Evaluation {
 public:
  explicit GatheringEvaluation(const GatheringOptions& options) : options_(options) {}

  Score run(const HeldOut& held_out, int64_t step) const override {
    // Equal shapes on all ranks, whatever their samples: an all-gather wants them.
    const BatchShape shape{options_.expected.rows, options_.expected.tokens};
    OutputGather gather(held_out.group, options_.transfer, options_.chunk);
    std::vector<Gathered> kept;
    for (int64_t b = 0; b < held_out.batches(); ++b) {
      if (options_.leaves_out && options_.leaves_out(held_out.group.rank(), b)) continue;
      const MemoryScope scope(Category::kActivations);
      const Batch batch = held_out.batch(b, shape);
      const ModelOutput output = held_out.forward(batch);
      const std::string unit = "batch " + std::to_string(b);
      const SpanScope span(held_out.recorder, "gather outputs", step, unit);
      kept.push_back(gather_batch(held_out.model, output, batch, unit, gather));
    }
    Score score;
    for (const Gathered& batch : kept) {
      const MemoryScope scope(Category::kActivations);
      const at::Tensor labels = batch.labels.flatten();
      Batch whole;
      whole.labels = labels.clamp_min(0);
      whole.weights = labels.ne(kNoLabel).to(at::kFloat);
      score += score_of(batch.logits.flatten(0, 1), whole);
    }
    return score;
  }

  void predict(int64_t evaluations, int64_t batches, RankRows& rows) const override {
    const ContributionBytes own = contribution_bytes(options_.expected);
    rows.all_gather("evaluation", batches * own.logits);
    if (own.hidden_states > 0) rows.all_gather("evaluation hidden states", batches * own.hidden_states);
    if (own.attentions > 0) rows.all_gather("evaluation attentions", batches * own.attentions);
  }

 private:
  // What one batch brought together: (N, rows, ...), as long as the evaluation lasts.
  struct Gathered {
    at::Tensor logits, labels;  // kNoLabel in rows that only pad
    std::vector<at::Tensor> others;
  };

  Gathered gather_batch(Model& model, const ModelOutput& output, const Batch& batch, const std::string& unit,
                        OutputGather& gather) const {
    Gathered result;
    result.logits = gather.whole(output.logits, {"evaluation", unit}, "logits");
    const at::Tensor labels = batch.labels.masked_fill(batch.weights.eq(0), kNoLabel);
    result.labels = gather.whole(labels, {"evaluation", unit}, "labels");
    if (!options_.all_outputs) return result;
    const std::vector<std::string>& names = model.parameters().unit_names;
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

  const GatheringOptions options_;
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

std::shared_ptr<const Evaluation> gathering_evaluation(const GatheringOptions& options) {
  return std::make_shared<GatheringEvaluation>(options);
}

}  // namespace ringside::inline nn
