// One attention head and one layer at growing T, and caches of released models; BM25, which chooses passages
// of many texts; byte models trained on 64 tokens that read 512.
#include "parts.h"
#include "ringside/base/clock.h"
#include "ringside/data/bm25.h"
#include "ringside/data/hidden_facts.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/cached_reading.h"
#include "ringside/nn/language_tasks.h"
#include "ringside/nn/layers.h"
#include "ringside/nn/tiled_attention.h"
#include "ringside/planner/model_shapes.h"
#include "ringside/tensor/peak_memory.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/train_on.h"

#include <numeric>

namespace ringside::lessons::context {
namespace {

constexpr int64_t kHead = 64, kRounds = 4, kCard = 80'000'000'000;  // d; the least of so many; bytes

// Seconds on a slow core, for the time that is left: of a part at T = 4096, of a training's step, of all
// reading.
constexpr double kBytesTime = 2.4, kRoundTime = 2, kLayerTime = 1.9, kStepTime = 0.018, kReadingTime = 1;
double squared(int64_t T) { return double(T) / 4096 * double(T) / 4096; }
double squares_of(const std::vector<int64_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), 0.0,
                         [](double sum, int64_t T) { return sum + squared(T); });
}

// The inputs of one head and the gradient of its output, (1, 1, T, d).
struct Head {
  const Config& config;
  const int64_t T;
  const uint64_t seed = uint64_t(config.integer("seed"));
  const at::Tensor q = leaf("q"), k = leaf("k"), v = leaf("v"), do_ = numbers("do");

  at::Tensor numbers(const char* of) const { return normal_numbers({1, 1, T, kHead}, seed, of); }
  at::Tensor leaf(const char* of) const { return numbers(of).set_requires_grad(true); }

  // The results: values and three gradients.
  std::vector<at::Tensor> forward_and_backward(const std::string& way) const {
    const TiledAttention how{config.integer("tile"), true, way == kWindow ? config.integer("window") : 0};
    const at::Tensor o = way == kScores ? attention_with_scores(q, k, v) : tiled_attention(q, k, v, how);
    run_backward((o * do_).sum());
    return {o.detach(), q.grad(), k.grad(), v.grad()};
  }
};

void measure_bytes(const Config& config, Recorder& pen, int64_t T, int64_t step) {
  at::Tensor exact;  // (4, 1, 1, T, d), as mine
  const auto largest = [](const at::Tensor& of) { return of.abs().flatten(1).amax(1); };  // (4)
  for (const char* way : kWays) {
    const Head head{config, T};
    std::vector<at::Tensor> results;
    const auto bytes = double(peak_memory_of([&] { results = head.forward_and_backward(way); }));
    const at::Tensor mine = at::stack(results);
    if (way == kScores) exact = mine;
    record_point(pen, line_of(way, kBytes), double(T), bytes);
    record_point(pen, line_of(way, kDifference), double(T),
                 (largest(mine - exact) / largest(exact)).max().item<double>());
    pen.scalar(line_of(way, "MiB at once"), step, bytes / (1 << 20));
  }
}

void measure_attention(const Config& config, const RunContext& context, const std::vector<int64_t>& lengths,
                       RunParts& parts) {
  Recorder& pen = *context.store.add_section(kAttention, {}, 1).at(0);
  for (int64_t step = 0; const int64_t T : lengths) {
    parts.begin(kAttention, kBytesTime * squared(T));
    const SpanScope span(pen, "step", step);
    measure_bytes(config, pen, T, step++);
  }
  std::map<std::pair<size_t, std::string>, double> least;  // ms, by the length's place and the way
  // A round goes over all lengths: what else the machine does meets them alike.
  for (int64_t round = 0; round < kRounds; ++round) {
    parts.begin(kAttention, kRoundTime * squares_of(lengths));
    for (size_t i = 0; i < lengths.size(); ++i)
      for (const char* way : kWays) {
        context.control.pass_step();
        const Head head{config, lengths[i]};
        const double start = thread_cpu_ns();
        head.forward_and_backward(way);
        const double ms = (thread_cpu_ns() - start) * 1e-6;
        double& kept = least.try_emplace({i, way}, ms).first->second;
        kept = std::min(kept, ms);
      }
  }
  for (const auto& [at, ms] : least) {
    const std::string line = line_of(at.second, kMs);
    record_point(pen, line, double(lengths[at.first]), ms);
    pen.scalar(line, int64_t(at.first), ms);
  }
}

// What a decoder layer of 4 heads keeps for backward.
void measure_layer(const Config& config, Recorder& pen, int64_t T) {
  const int64_t H = config.integer("hidden");
  const ClassifierConfig model{
      .hidden = H, .heads = 4, .kv_heads = 4, .intermediate = 4 * H, .layers = 1, .attention_bias = false};
  const LanguageModel of(model, initial_values(classifier_shapes(model), 1));
  for (const at::Tensor& t : of.weights) t.set_requires_grad(true);
  const Leaves leaves = leaves_of(of.weights);
  const AttentionWeights w = weights_of(of.layers.decoder[0].attention, leaves);
  const at::Tensor x = normal_numbers({1, T, H}, 2, "x"), mask = make_causal_mask(T);
  const RotaryTable rotary = rotary_table_of(model, T);
  const int64_t scores = model.heads * T * T * 4;
  const int64_t all = kept_bytes_of([&] { return grouped_query_attention(x, w, model, rotary, mask); });
  const int64_t mlp = kept_bytes_of([&] { return output_of(of.layers.decoder[0].mlp, leaves, x); });
  for (const auto& [line, y] : {std::pair{kKeptScores, scores}, {kKeptRest, all - scores}, {kKeptMlp, mlp}})
    record_point(pen, line, double(T), double(y));
}

void read_models(const Config& config, Recorder& pen) {
  for (const std::string& name : packaged_models()) {
    const ModelConfig model = read_model_config(packaged_model(name));
    const TextSizes& text = model.text;
    const int64_t bytes = text.cached_bytes(2), with_all = bytes / text.kv_heads * text.heads;
    const int64_t numbers = count_parameters(model_shapes(model, {ModelHead::Kind::kLanguageModel}));
    const double users = double(kCard - 2 * numbers) / double(bytes * config.integer("context"));
    record_row(pen, CacheRow{name, text.heads, text.kv_heads, bytes, with_all, int64_t(std::max(0.0, users)),
                             kCard / 1000000000});
  }
}

void read_passages(const Config& config, Recorder& pen) {
  constexpr size_t kTexts = 500, kPassage = 1000, kFacts = 40;  // kPassage: bytes, which are tokens here
  const Dataset all = load_dataset({.source = "self", .max_tokens = 1 << 14});
  const auto facts = hide_facts(passages_of(all, kTexts, kPassage), kFacts, uint64_t(config.integer("seed")));
  const Bm25 index(facts.passages);
  // (kFacts) the passages as a question for the fact, or for all of them, ranks them.
  std::vector<std::vector<size_t>> of_each, of_all(kFacts, index.ranked(facts.question_for_all));
  for (const std::string& question : facts.questions) of_each.push_back(index.ranked(question));
  const auto record = [&](const char* asks, size_t k, const std::vector<std::vector<size_t>>& ranked) {
    const FoundFacts found = facts_in_first(facts, ranked, k);
    record_row(pen, RetrievalRow{asks, int64_t(k), 100 * found.share, int64_t(std::round(found.bytes))});
  };
  for (const size_t k : {size_t(1), size_t(kChosen), facts.passages.size()}) record(kOneFact, k, of_each);
  record(kAllFacts, kChosen, of_all);
}

constexpr int64_t kRead = 512, kHeldOut = 32, kPiece = 8, kMean = 32;

struct Reading {
  const Config& config;
  const RunContext& context;
  RunParts& parts;
  const uint64_t seed = uint64_t(config.integer("seed"));
  const Dataset data = load_dataset({.source = "self", .max_tokens = 1 << 12});
  const Batch texts = batch_of(windows_of(data.test, kRead, kHeldOut));  // (kHeldOut, kRead)
  TraceRows rows = {};

  LanguageModel trained(const char* section, int64_t learned_positions) {
    ClassifierConfig of = byte_language_model(48, 1);
    of.learned_positions = learned_positions;
    LanguageModel model(of, initial_values(classifier_shapes(of), seed));
    train(model, section, kTrainedLength, config.integer("steps"));
    return model;
  }

  void train(LanguageModel& model, const char* section, int64_t T, int64_t steps) {
    parts.begin(section, kStepTime * double(steps));
    const TrainingConfig training = small_training(2, 16 * kTrainedLength / T, steps, 4e-3, seed);
    const auto task = std::make_shared<MaskedTextTask>(model.config, windows_of(data.train, T));
    train_on(model.weights, training, task, context.store, section, hooks_of(context.control), rows);
  }

  // Loss at each position, a mean over the texts.
  void read(Recorder& pen, const char* line, const LanguageModel& model,
            const Streaming& how = {.piece = kRead, .most = kRead}) const {
    context.control.pass_step();
    const at::Tensor loss = streamed_losses(model, texts.tokens, how).mean(0);  // (T-1)
    const auto mean = [&](int64_t from, int64_t to) { return loss.slice(0, from, to).mean().item<double>(); };
    for (int64_t at = 0; at + kMean <= kRead; at += kMean)
      record_point(pen, line, double(at) + kMean / 2.0, mean(at, at + kMean));
    record_row(pen, LengthRow{line, mean(kTrainedLength / 2, kTrainedLength - 1), mean(kRead / 2, kRead)});
  }
};

void read_beyond(const Config& config, const RunContext& context, RunParts& parts) {
  Reading reading{config, context, parts};
  const LanguageModel learned = reading.trained(kLearned, kRead), rotary = reading.trained(kRotary, 0);
  LanguageModel interpolated = rotary;
  interpolated.config.rope_scale = double(kTrainedLength) / double(kRead);
  LanguageModel further = interpolated;
  reading.train(further, kFurther, kRead, config.integer("further"));
  Recorder& pen = parts.section(kBeyond, kReadingTime);
  reading.read(pen, kLearned, learned);
  reading.read(pen, kRotary, rotary);
  reading.read(pen, kInterpolated, interpolated);
  reading.read(pen, kFurther, further);
  reading.read(pen, kNearest, rotary, {.piece = kPiece, .most = kTrainedLength});
  reading.read(pen, kSinks, rotary, {.piece = kPiece, .most = kTrainedLength, .sinks = 4});
  Batch near = reading.texts;
  near.tokens = near.tokens.narrow(1, 0, kTrainedLength);
  record_row(pen, FirstTokenRow{100 * attention_to_first(rotary, near), 100.0 / 48});
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  const KeepThreadCounts thread_counts;
  use_one_thread();
  std::vector<int64_t> lengths;
  for (int64_t T = 256; T <= config.integer("tokens"); T *= 2) lengths.push_back(T);
  const double time = squares_of(lengths) * (kBytesTime + kRounds * kRoundTime + kLayerTime) + kReadingTime +
                      kStepTime * double(2 * config.integer("steps") + config.integer("further"));
  RunParts parts(context, kRounds + 2 * std::ssize(lengths) + 6, time);
  measure_attention(config, context, lengths, parts);
  Recorder& layer = *context.store.add_section(kLayer, {}, 1).at(0);
  for (const int64_t T : lengths) {
    parts.begin(kLayer, kLayerTime * squared(T));
    measure_layer(config, layer, T);
  }
  read_models(config, parts.section(kReleased));
  read_passages(config, parts.section(kRetrieval));
  read_beyond(config, context, parts);
}

}  // namespace ringside::lessons::context
