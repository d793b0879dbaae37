// Attention matrices of both kinds by their singular values; attention in a deep stack; two byte models
// trained alike; and text written with and without a cache.
#include <ATen/core/grad_mode.h>

#include "parts.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/cached_reading.h"
#include "ringside/nn/language_tasks.h"
#include "ringside/nn/layers.h"
#include "ringside/nn/singular_values.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/train_on.h"

namespace ringside::lessons::decoder_only {
namespace {

constexpr int64_t kHead = 16;  // d of the random scores

at::Tensor random(at::IntArrayRef shape, uint64_t seed, const char* purpose) {
  return normal_numbers(shape, seed, purpose, at::kDouble);
}

// softmax(scores + mask). scores: (T, T) fp64
at::Tensor attention(const at::Tensor& scores, bool causal) {
  return at::softmax(causal ? scores + make_causal_mask(scores.size(0)).to(at::kDouble) : scores, -1);
}

// Queries and keys of one head, (T, d), in fp64; a causal mask hides later tokens, or not.
struct Head {
  QueriesAndKeys of;
  bool causal;
  const char* mask() const { return causal ? kCausal : kBoth; }
};

// Of the first T tokens.
SingularValues record_matrix(Recorder& pen, const std::string& of, const Head& head, int64_t T) {
  const at::Tensor q = head.of.q.narrow(0, 0, T), k = head.of.k.narrow(0, 0, T);
  const SingularValues s(attention(at::matmul(q, k.t()) / std::sqrt(double(q.size(1))), head.causal));
  record_row(pen,
             MatrixRow{of, head.mask(), T, s.rank_in(at::kDouble), s.rank_in(at::kFloat),
                       s.rank_in(at::kBFloat16), s.log10_determinant(), s.condition(), s.effective_rank()});
  return s;
}

// The matrices of its first tokens and of all; the singular values of the latter.
void record_head(Recorder& pen, const std::string& of, const Head& head) {
  const int64_t T = head.of.q.size(0);
  record_matrix(pen, of, head, T / 4);
  record_line(pen, fmt::format("{}, {}", of, head.mask()),
              numbers_of(record_matrix(pen, of, head, T).values));
  const auto text = [](const at::Tensor& row) { return fmt::format("{}", fmt::join(numbers_of(row), " ")); };
  for (int64_t t = 0; t < T; ++t)
    record_row(pen, TokenRow{of, head.mask(), text(head.of.q[t]), text(head.of.k[t])});
}

void record_depth(Recorder& pen, bool causal, bool skip, bool mlp, int64_t T, uint64_t seed) {
  constexpr int64_t kWidth = 64, kLayers = 12;
  const double scale = 1 / std::sqrt(double(kWidth));
  const auto weight = [&](int64_t layer, const char* of) {
    return random({kWidth, kWidth}, seed * 100 + uint64_t(layer), of) * scale;
  };
  at::Tensor x = random({T, kWidth}, seed, "tokens");
  const std::string line =
      fmt::format("{}{}{}", causal ? kCausal : kBoth, skip ? ", skip" : "", mlp ? ", MLP" : "");
  record_point(pen, line, 0, distance_to_equal_rows(x));
  for (int64_t layer = 1; layer <= kLayers; ++layer) {
    const at::Tensor scores =
        at::matmul(at::matmul(x, weight(layer, "q")), at::matmul(x, weight(layer, "k")).t());
    const at::Tensor y = at::matmul(attention(scores * scale, causal), at::matmul(x, weight(layer, "v")));
    x = skip ? x + y : y;
    if (mlp) x = x + at::matmul(at::silu(at::matmul(x, weight(layer, "up"))), weight(layer, "down"));
    x = x / x.pow(2).mean().sqrt();  // one factor for all of it: it changes no distance
    record_point(pen, line, double(layer), distance_to_equal_rows(x));
  }
}

// The likeliest byte, again and again.
void record_writing(Recorder& pen, const LanguageModel& model, const std::vector<int64_t>& text,
                    int64_t bytes) {
  RandomStream unused(0, "");
  const at::Tensor prompt = at::tensor(text, at::kLong).unsqueeze(0);  // (1, n)
  at::Tensor without;
  for (const bool cached : {false, true}) {
    const Written written = write_on(model, prompt, bytes, {.temperature = 0, .cached = cached}, unused);
    if (!cached) without = written.text;
    record_row(pen, WrittenRow{cached ? kWith : kWithout, std::ssize(text), bytes, written.read,
                               written.text.equal(without)});
  }
}

// The loss of each text's last byte from those before it: a model that is not causal finds it hidden.
double last_byte_loss(const LanguageModel& model, const std::vector<TokenExample>& texts) {
  const at::NoGradGuard no_grad;
  Batch batch = batch_of(texts);
  const int64_t last = batch.tokens.size(1) - 1;
  const at::Tensor bytes = batch.tokens.select(1, last).clone();  // (B)
  const bool causal = model.config.causal;
  if (!causal) batch.tokens.select(1, last).fill_(kPadToken);
  const at::Tensor logits = output_of(model, batch).logits.select(1, causal ? last - 1 : last);
  return -at::log_softmax(logits, -1).gather(1, bytes.unsqueeze(1)).mean().item<double>();
}

struct TrainedModel {
  LanguageModel before, after;
};

TrainedModel train_model(const Config& config, const RunContext& context, const Dataset& data, bool causal,
                         TraceRows& rows) {
  const int64_t T = config.integer("window"), ranks = config.integer("ranks");
  ClassifierConfig of = byte_language_model(config.integer("hidden"), 2);
  of.causal = causal;
  const std::vector<TokenExample> windows = windows_of(data.train, T);
  std::shared_ptr<const LanguageTask> task = std::make_shared<MaskedTextTask>(of, windows);
  if (!causal) task = std::make_shared<HiddenTextTask>(of, windows, config.real("masked") / 100, kPadToken);
  const TrainingConfig training =
      small_training(ranks, 8 * ranks, config.integer("steps"), 3e-3, uint64_t(config.integer("seed")));
  const LanguageModel before(of, initial_values(classifier_shapes(of), training.seed));
  LanguageModel after = before;
  const std::string section = causal ? kCausal : kBoth;
  train_on(after.weights, training, task, context.store, section, hooks_of(context.control, context.process),
           rows);
  const Batch batch = task->batch(Split::kTrain, {0, 1, 2, 3, 4, 5, 6, 7}, {});
  const int64_t positions = batch.tokens.numel();
  record_row(context.store.recorder(section, 0),
             TaskRow{section, positions, 100 * batch.beside[0].sum().item<double>() / double(positions),
                     last_byte_loss(after, windows_of(data.test, T)), training.steps});
  return {before, after};
}

std::vector<int64_t> text_of(const Dataset& data, int64_t bytes) {
  std::vector<int64_t> text;
  for (const Sample& sample : data.test)
    for (const int32_t token : sample.tokens)
      if (token < kPadToken && std::ssize(text) < bytes) text.push_back(token);
  return text;
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  const auto seed = uint64_t(config.integer("seed"));
  const KeepThreadCounts thread_counts;
  use_one_thread();
  TraceRows rows;
  RunParts parts(context, 9);
  const int64_t most = config.integer("tokens");
  Recorder& scores = parts.section(kRandom);
  for (const bool causal : {true, false})
    record_head(scores, kRandom,
                {{random({most, kHead}, seed, "q"), random({most, kHead}, seed, "k")}, causal});
  Recorder& depth = parts.section(kDepth);
  for (const bool causal : {true, false})
    for (const auto& [skip, mlp] : {std::pair{false, false}, {true, false}, {true, true}})
      record_depth(depth, causal, skip, mlp, 64, seed);

  const Dataset data =
      load_dataset({.source = config.text("data"), .max_tokens = config.integer("window") + 1, .seed = seed});
  const std::vector<int64_t> text = text_of(data, most);
  std::vector<TrainedModel> models;
  for (const bool causal : {true, false}) {
    parts.begin(causal ? kCausal : kBoth);
    models.push_back(train_model(config, context, data, causal, rows));
  }
  for (const char* of : {kUntrained, kTrained}) {
    Recorder& pen = parts.section(of);
    for (const auto& [before, after] : models)
      record_head(pen, of,
                  {first_queries_and_keys(of == kTrained ? after : before, at::tensor(text, at::kLong), 0),
                   before.config.causal});
  }
  record_writing(parts.section(kGenerating), models[0].after, {text.begin(), text.begin() + 8},
                 config.integer("bytes"));
}

}  // namespace ringside::lessons::decoder_only
