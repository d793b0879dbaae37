// What a model can read: byte models trained on 64 tokens read 512, a cache drops tokens, and BM25 chooses
// the passages of many texts.
#include "parts.h"
#include "ringside/data/bm25.h"
#include "ringside/data/hidden_facts.h"
#include "ringside/nn/cached_reading.h"
#include "ringside/nn/language_tasks.h"
#include "ringside/train/train_on.h"

namespace ringside::lessons::context {
namespace {

constexpr int64_t kReadLength = 512, kHeldOut = 32, kPiece = 8, kMean = 32;

struct Reading {
  const Config& config;
  const RunContext& context;
  TraceRows& rows;
  const uint64_t seed = uint64_t(config.integer("seed"));
  const Dataset data = load_dataset({.source = "self", .max_tokens = 1 << 12});
  const Batch texts = batch_of(windows_of(data.test, kReadLength, kHeldOut));  // (kHeldOut, kReadLength)

  LanguageModel trained(const char* section, int64_t learned_positions) const {
    ClassifierConfig of = byte_language_model(48, 1);
    of.learned_positions = learned_positions;
    LanguageModel model(of, initial_values(classifier_shapes(of), seed));
    train(model, section, kTrainedLength, config.integer("steps"));
    return model;
  }

  void train(LanguageModel& model, const char* section, int64_t T, int64_t steps) const {
    const TrainingConfig training = small_training(2, 16 * kTrainedLength / T, steps, 4e-3, seed);
    const auto task = std::make_shared<MaskedTextTask>(model.config, windows_of(data.train, T));
    train_on(model.weights, training, task, context.store, section, hooks_of(context.control), rows);
  }

  // Loss at each position, a mean over the texts.
  void read(Recorder& pen, const char* line, const LanguageModel& model, const Streaming& how) const {
    context.control.pass_step();
    const at::Tensor loss = streamed_losses(model, texts.tokens, how).mean(0);  // (T-1)
    const auto mean = [&](int64_t from, int64_t to) { return loss.slice(0, from, to).mean().item<double>(); };
    for (int64_t at = 0; at + kMean <= kReadLength; at += kMean)
      record_point(pen, line, double(at) + kMean / 2.0, mean(at, at + kMean));
    record_row(pen, LengthRow{line, mean(kTrainedLength / 2, kTrainedLength - 1),
                              mean(kReadLength / 2, kReadLength)});
  }

  double to_first(const LanguageModel& model) const {
    Batch batch = texts;
    batch.tokens = batch.tokens.narrow(1, 0, kTrainedLength);
    return attention_to_first(model, batch);
  }
};

}  // namespace

void read_beyond(const Config& config, const RunContext& context, TraceRows& rows) {
  const Reading reading{config, context, rows};
  const LanguageModel learned = reading.trained(kLearned, kReadLength), rotary = reading.trained(kRotary, 0);
  LanguageModel interpolated = rotary;
  interpolated.config.rope_scale = double(kTrainedLength) / double(kReadLength);
  LanguageModel further = interpolated;
  reading.train(further, kFurther, kReadLength, config.integer("further"));
  Recorder& pen = *context.store.add_section(kBeyond, {}, 1).front();
  const Streaming whole{.piece = kReadLength, .most = kReadLength};
  reading.read(pen, kLearned, learned, whole);
  reading.read(pen, kRotary, rotary, whole);
  reading.read(pen, kInterpolated, interpolated, whole);
  reading.read(pen, kFurther, further, whole);
  reading.read(pen, kNearest, rotary, {.piece = kPiece, .most = kTrainedLength});
  reading.read(pen, kSinks, rotary, {.piece = kPiece, .most = kTrainedLength, .sinks = 4});
  record_row(pen, FirstTokenRow{100 * reading.to_first(rotary), 100.0 / 48});
}

void read_passages(const Config& config, Recorder& pen) {
  constexpr size_t kTexts = 500, kPassage = 1000, kFacts = 40;  // kPassage: bytes, which are tokens here
  const Dataset data = load_dataset({.source = "self", .max_tokens = 1 << 14});
  const HiddenFacts facts =
      hide_facts(passages_of(data, kTexts, kPassage), kFacts, uint64_t(config.integer("seed")));
  const Bm25 index(facts.passages);
  std::vector<std::vector<size_t>> of_each;  // (kFacts) the passages as a question for the fact ranks them
  for (const std::string& question : facts.questions) of_each.push_back(index.ranked(question));
  const std::vector of_all(kFacts, index.ranked(facts.question_for_all));
  const auto record = [&](const char* asks, size_t k, const std::vector<std::vector<size_t>>& ranked) {
    const FoundFacts found = facts_in_first(facts, ranked, k);
    record_row(pen, RetrievalRow{asks, int64_t(k), 100 * found.share, int64_t(std::round(found.bytes))});
  };
  for (const size_t k : {size_t(1), size_t(4), facts.passages.size()}) record(kOneFact, k, of_each);
  record(kAllFacts, 4, of_all);
}

}  // namespace ringside::lessons::context
