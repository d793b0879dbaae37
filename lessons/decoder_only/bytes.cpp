// The two models' Task: the same layers, windows and optimizer, another mask and another question.
#include "parts.h"
#include "ringside/base/random.h"
#include "ringside/nn/batch.h"
#include "ringside/nn/classifier.h"

namespace ringside::lessons::decoder_only {
namespace {

constexpr int64_t kNoLabel = -1;

// Sums over the windows of each window's mean over its labelled positions. values: (B, T)
at::Tensor sum_of_means(const at::Tensor& values, const Batch& batch) {
  const at::Tensor labelled = batch.labels.ne(kNoLabel).to(at::kFloat);
  return ((values * labelled).sum(1) / labelled.sum(1).clamp_min(1) * batch.weights).sum();
}

at::Tensor loss_of(const at::Tensor& logits, const Batch& batch) {
  const at::Tensor picked =
      at::log_softmax(logits, -1).gather(2, batch.labels.clamp_min(0).unsqueeze(2)).squeeze(2);
  return -sum_of_means(picked, batch);
}

}  // namespace

ClassifierConfig byte_model(const Config& config, bool causal) {
  ClassifierConfig model{.vocabulary = kByteVocabulary,
                         .hidden = config.integer("hidden"),
                         .heads = 4,
                         .kv_heads = 4,
                         .intermediate = 2 * config.integer("hidden"),
                         .layers = 2,
                         .classes = kByteVocabulary};
  model.every_position = true;
  model.causal = causal;
  return model;
}

ByteTask::ByteTask(ClassifierConfig model, int64_t T, double masked, const Dataset& data)
    : model_(model), T_(T), masked_(masked) {
  const auto whole = [&](const std::vector<Sample>& samples) {
    std::vector<std::vector<int32_t>> windows;
    for (const Sample& sample : samples)
      if (std::ssize(sample.tokens) > T)
        windows.emplace_back(sample.tokens.begin(), sample.tokens.begin() + T);
    return windows;
  };
  train_ = whole(data.train), test_ = whole(data.test);
}

std::unique_ptr<Model> ByteTask::make(const ModelSite&) const {
  return std::make_unique<Classifier>(model_, T_);
}

Batch ByteTask::batch(Split split, const std::vector<int64_t>& samples, BatchShape at_least) const {
  const int64_t rows = std::max({int64_t{1}, at_least.rows, std::ssize(samples)});
  Batch batch{at::zeros({rows, T_}, at::kLong), at::full({rows}, T_ - 1, at::kLong),
              at::full({rows, T_}, kNoLabel, at::kLong), at::zeros({rows})};
  auto tokens = batch.tokens.accessor<int64_t, 2>(), labels = batch.labels.accessor<int64_t, 2>();
  for (size_t row = 0; row < samples.size(); ++row) {
    const std::vector<int32_t>& window = windows(split)[size_t(samples[row])];
    RandomStream hides(1, "hidden bytes", samples[row]);
    batch.weights[int64_t(row)] = 1;
    for (int64_t t = 0; t < T_; ++t) {
      tokens[int64_t(row)][t] = window[size_t(t)];
      const bool last = t == T_ - 1,
                 asked = split == Split::kTrain ? model_.causal || hides.uniform() < masked_ : last;
      if (!asked || (model_.causal && t == 0)) continue;
      labels[int64_t(row)][model_.causal ? t - 1 : t] = window[size_t(t)];
      if (!model_.causal) tokens[int64_t(row)][t] = kPadToken;
    }
  }
  return batch;
}

at::Tensor ByteTask::loss(ModelOutput& output, const Batch& batch) const {
  return loss_of(std::exchange(output.logits, {}), batch);
}

Score ByteTask::score(const ModelOutput& output, const Batch& batch) const {
  return {loss_of(output.logits, batch).item<float>(),
          sum_of_means(output.logits.argmax(2).eq(batch.labels).to(at::kFloat), batch).item<float>(),
          batch.weights.sum().item<float>()};
}

}  // namespace ringside::lessons::decoder_only
