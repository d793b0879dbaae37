// Beyond the trained length: byte models trained on 64 tokens read 512, and a cache that drops tokens.
#include <ATen/core/grad_mode.h>

#include "parts.h"
#include "ringside/data/dataset.h"
#include "ringside/nn/cached_reading.h"
#include "ringside/nn/language_tasks.h"
#include "ringside/nn/preference_loss.h"
#include "ringside/train/train_on.h"

namespace ringside::lessons::context {
namespace {

constexpr int64_t kReadLength = 512, kHeldOut = 32, kPiece = 8, kMean = 32;
using Weights = std::vector<at::Tensor>;

struct ByteModel {
  ClassifierConfig config;
  Weights weights;
};

ClassifierConfig byte_model(int64_t learned_positions) {
  ClassifierConfig config = byte_language_model(48, 1);
  config.learned_positions = learned_positions;
  return config;
}

class Reading {
 public:
  Reading(const Config& config, const RunContext& context, TraceRows& rows)
      : config_(config),
        context_(context),
        rows_(rows),
        data_(load_dataset({.source = "self", .max_tokens = 1 << 12})) {
    std::vector<TokenExample> texts = windows_of(data_.test, kReadLength);
    texts.resize(std::min<size_t>(texts.size(), kHeldOut));
    texts_ = batch_of(texts).tokens;
  }

  void train(ByteModel& model, const char* section, int64_t T, int64_t steps) {
    const TrainingConfig training =
        small_training(2, 16 * kTrainedLength / T, steps, 4e-3, uint64_t(config_.integer("seed")));
    TrainerHooks hooks;
    hooks.control = &context_.control;
    if (model.weights.empty()) model.weights = initial_values(classifier_shapes(model.config), training.seed);
    const auto task = std::make_shared<MaskedTextTask>(model.config, windows_of(data_.train, T));
    train_on(model.weights, training, task, context_.store, section, hooks, rows_);
  }

  // Loss at each position, a mean over the texts; a cache holds `window` tokens at most, the first `sinks` of
  // the text among them.
  void read(Recorder& pen, const char* line, const ByteModel& model, int64_t window = kReadLength,
            int64_t sinks = 0) const {
    context_.control.pass_step();
    const ClassifierLayers layers = layers_of(model.config);
    const int64_t piece = window < kReadLength ? kPiece : kReadLength;
    KeyValueCache cache;
    std::vector<at::Tensor> logits;
    for (int64_t at = 0; at < kReadLength; at += piece) {
      cache.keep(sinks, window - piece - sinks);
      logits.push_back(
          read_on(model.config, layers, leaves_of(model.weights), texts_.narrow(1, at, piece), cache));
    }
    const at::Tensor loss = -token_log_probabilities(at::cat(logits, 1), texts_).mean(0);  // (T-1)
    for (int64_t at = 0; at + kMean <= loss.numel() + 1; at += kMean)
      record_point(pen, line, double(at) + kMean / 2.0, loss.slice(0, at, at + kMean).mean().item<double>());
    const auto mean = [&](int64_t from, int64_t to) { return loss.slice(0, from, to).mean().item<double>(); };
    record_row(pen, LengthRow{line, mean(kTrainedLength / 2, kTrainedLength - 1),
                              mean(kReadLength / 2, kReadLength)});
  }

  // What the later half of a trained length's tokens pays to its first token, of the head that pays most.
  double attention_to_first(const ByteModel& model) const {
    Classifier classifier(model.config, kTrainedLength);
    classifier.parameters().leaves = model.weights;
    const at::NoGradGuard no_grad;
    Batch batch = batch_of({{std::vector<int64_t>(kTrainedLength)}});
    batch.tokens = texts_.narrow(1, 0, kTrainedLength);
    ringside::Context context;
    context.wanted.attentions = true;
    double most = 0;
    for (const at::Tensor& attention : classifier.forward(batch, context).attentions)  // (B, A, T, T)
      most = std::max(most, attention.slice(2, kTrainedLength / 2)
                                .select(3, 0)
                                .mean(at::IntArrayRef{0, 2})
                                .max()
                                .item<double>());
    return most;
  }

 private:
  const Config& config_;
  const RunContext& context_;
  TraceRows& rows_;
  const Dataset data_;
  at::Tensor texts_;  // (kHeldOut, kReadLength)
};

}  // namespace

void read_beyond(const Config& config, const RunContext& context, TraceRows& rows) {
  Reading reading(config, context, rows);
  const int64_t steps = config.integer("steps");
  ByteModel learned{byte_model(kReadLength), {}}, rotary{byte_model(0), {}};
  reading.train(learned, kLearned, kTrainedLength, steps);
  reading.train(rotary, kRotary, kTrainedLength, steps);
  ByteModel interpolated = rotary;
  interpolated.config.rope_scale = double(kTrainedLength) / double(kReadLength);
  ByteModel further = interpolated;
  reading.train(further, kFurther, kReadLength, config.integer("further"));
  Recorder& pen = *context.store.add_section(kBeyond, {}, 1).front();
  reading.read(pen, kLearned, learned);
  reading.read(pen, kRotary, rotary);
  reading.read(pen, kInterpolated, interpolated);
  reading.read(pen, kFurther, further);
  for (const int64_t sinks : {0, 4})
    reading.read(pen, sinks == 0 ? kNearest : kSinks, rotary, kTrainedLength, sinks);
  record_row(pen, FirstTokenRow{100 * reading.attention_to_first(rotary), 100.0 / 48});
}

}  // namespace ringside::lessons::context
