// Attention matrices of both kinds by their singular values; attention in a deep stack; two byte models
// trained alike; and text written with and without a cache.
#include <ATen/core/grad_mode.h>

#include "parts.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/cached_reading.h"
#include "ringside/nn/language_tasks.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/train_on.h"

namespace ringside::lessons::decoder_only {
namespace {

constexpr int64_t kHead = 16;  // d of the random scores

// A byte model's layers, each with the handles of its parameters.
struct ByteModel {
  explicit ByteModel(const ClassifierConfig& of) : config(of), layers(layers_of(of)) {}
  ClassifierConfig config;
  ClassifierLayers layers;
};

at::Tensor random(at::IntArrayRef shape, uint64_t seed, const char* purpose) {
  return normal_numbers(shape, seed, purpose, at::kDouble);
}

// softmax(scores + mask). scores: (T, T) fp64
at::Tensor attention(const at::Tensor& scores, bool causal) {
  const auto mask = causal ? make_causal_mask(scores.size(0)).to(at::kDouble) : at::zeros_like(scores);
  return at::softmax(scores + mask, -1);
}

// ---- One matrix ---------------------------------------------------------------------

// Singular values above what rounding the matrix to a type changes in it; of fp64, above T eps times the
// greatest, as numpy's matrix_rank has it.
int64_t rank_in(const at::Tensor& matrix, const at::Tensor& s, at::ScalarType type) {
  const at::Tensor change = matrix.to(type).to(at::kDouble) - matrix;
  const double noise = type == at::kDouble
                           ? double(matrix.size(0)) * std::ldexp(1.0, -52) * s[0].item<double>()
                           : at::linalg_svdvals(change)[0].item<double>();
  return s.gt(noise).sum().item<int64_t>();
}

// Queries and keys of one head, (T, d), in fp64; a causal mask hides later tokens, or not.
struct Head {
  at::Tensor q, k;
  bool causal;
};

void record_matrix(Recorder& pen, const std::string& of, const Head& head, int64_t T) {
  const at::Tensor q = head.q.narrow(0, 0, T), k = head.k.narrow(0, 0, T);
  const at::Tensor matrix = attention(at::matmul(q, k.t()) / std::sqrt(double(q.size(1))), head.causal);
  const at::Tensor s = at::linalg_svdvals(matrix), share = s / s.sum();
  MatrixRow row{.of = of, .mask = head.causal ? kCausal : kBoth, .T = T};
  row.fp64 = rank_in(matrix, s, at::kDouble);
  row.fp32 = rank_in(matrix, s, at::kFloat);
  row.bf16 = rank_in(matrix, s, at::kBFloat16);
  row.log10_det = s.clamp_min(1e-300).log10().sum().item<double>();
  if (head.causal) row.log10_det = matrix.diagonal().log10().sum().item<double>();  // exactly, of a triangle
  row.condition = (s[0] / s[-1]).item<double>();
  row.effective = std::exp(-(share * share.clamp_min(1e-300).log()).sum().item<double>());
  record_row(pen, row);
  const std::string line = fmt::format("{}, {}", row.of, row.mask);
  for (int64_t i = 0; i < s.numel(); ++i) record_point(pen, line, double(i + 1), s[i].item<double>());
}

// The matrices of its first tokens and of all.
void record_head(Recorder& pen, const std::string& of, const Head& head) {
  const int64_t T = head.q.size(0);
  for (const int64_t first : {T / 4, T}) record_matrix(pen, of, head, first);
  const auto numbers = [](const at::Tensor& row) {
    return fmt::format("{}", fmt::join(row.data_ptr<double>(), row.data_ptr<double>() + row.numel(), " "));
  };
  for (int64_t t = 0; t < T; ++t)
    record_row(pen, TokenRow{of, head.causal ? kCausal : kBoth, numbers(head.q[t].contiguous()),
                             numbers(head.k[t].contiguous())});
}

// The first layer's first head, for one held-out text.
Head head_of(const ByteModel& model, const std::vector<at::Tensor>& weights,
             const std::vector<int64_t>& tokens) {
  const auto& [config, layers] = model;
  const auto leaf = [&](Parameter p) { return weights[size_t(p.index)].to(at::kDouble); };
  const int64_t T = std::ssize(tokens), d = config.head_size();
  const AttentionLayer& layer = layers.decoder[0].attention;
  const at::Tensor x = rms_norm(at::embedding(leaf(layers.embedding), at::tensor(tokens, at::kLong)),
                                leaf(layers.decoder[0].attention_norm.weight), config.norm_eps);
  const RotaryTable rotary = make_rotary_table(T, d, config.rope_theta);
  const auto part = [&](const LinearLayer& linear) {
    const at::Tensor all = at::linear(x.to(at::kDouble), leaf(linear.weight), leaf(linear.bias));
    return apply_rotary(all.narrow(1, 0, d).view({1, 1, T, d}), rotary)[0][0];
  };
  return {part(layer.q), part(layer.k), config.causal};
}

// ---- A stack ------------------------------------------------------------------------

// How far X is from a matrix of equal rows: |X - 1 m| / |X|, m the mean row. Dong, Cordonnier, Loukas 2021,
// arXiv:2103.03404.
double distance_to_one_row(const at::Tensor& x) {
  return ((x - x.mean(0, true)).norm() / x.norm()).item<double>();
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
  record_point(pen, line, 0, distance_to_one_row(x));
  for (int64_t layer = 1; layer <= kLayers; ++layer) {
    const at::Tensor scores =
        at::matmul(at::matmul(x, weight(layer, "q")), at::matmul(x, weight(layer, "k")).t());
    const at::Tensor y = at::matmul(attention(scores * scale, causal), at::matmul(x, weight(layer, "v")));
    x = skip ? x + y : y;
    if (mlp) x = x + at::matmul(at::silu(at::matmul(x, weight(layer, "up"))), weight(layer, "down"));
    x = x / x.pow(2).mean().sqrt();  // one factor for all of it: it changes no distance
    record_point(pen, line, double(layer), distance_to_one_row(x));
  }
}

// ---- Text, byte by byte ----------------------------------------------------------------

// The likeliest byte, again and again.
void record_writing(Recorder& pen, const ByteModel& model, const std::vector<at::Tensor>& weights,
                    const std::vector<int64_t>& prompt, int64_t bytes) {
  const at::NoGradGuard no_grad;
  std::vector<int64_t> without;
  for (const bool cached : {false, true}) {
    WrittenRow row{.cache = cached, .prompt = std::ssize(prompt), .written = bytes};
    std::vector<int64_t> text = prompt, next = prompt;
    KeyValueCache cache;
    for (int64_t i = 0; i < bytes; ++i) {
      KeyValueCache nothing;
      const std::vector<int64_t>& reads = cached ? next : text;
      row.read += std::ssize(reads);
      const at::Tensor tokens = at::tensor(reads, at::kLong).unsqueeze(0);  // (1, n)
      const at::Tensor logits =
          read_on(model.config, model.layers, leaves_of(weights), tokens, cached ? cache : nothing);
      next = {logits[0][logits.size(1) - 1].argmax().item<int64_t>()};
      text.push_back(next[0]);
    }
    if (!cached) without = text;
    row.same = text == without;
    record_row(pen, row);
  }
}

// ---- The run ---------------------------------------------------------------------------

struct TrainedModel {
  ByteModel model;
  std::vector<at::Tensor> before, after;
};

// The loss of each text's last byte from those before it: a model that is not causal finds it hidden.
double last_byte_loss(const TrainedModel& trained, const std::vector<TokenExample>& texts) {
  Batch batch = batch_of(texts);
  const int64_t last = batch.tokens.size(1) - 1;
  const at::Tensor bytes = batch.tokens.select(1, last).clone();  // (B)
  const bool causal = trained.model.config.causal;
  if (!causal) batch.tokens.select(1, last).fill_(kPadToken);
  Classifier classifier(trained.model.config, last + 1);
  classifier.parameters().leaves = trained.after;
  const at::NoGradGuard no_grad;
  const at::Tensor logits = classifier.forward(batch, {}).logits.select(1, causal ? last - 1 : last);
  return -at::log_softmax(logits, -1).gather(1, bytes.unsqueeze(1)).mean().item<double>();
}

TrainedModel train_model(const Config& config, const RunContext& context, const Dataset& data, bool causal,
                         TraceRows& rows) {
  const int64_t T = config.integer("window");
  ClassifierConfig model = byte_language_model(config.integer("hidden"), 2);
  model.causal = causal;
  const std::vector<TokenExample> windows = windows_of(data.train, T);
  std::shared_ptr<const LanguageTask> task = std::make_shared<MaskedTextTask>(model, windows);
  if (!causal)
    task = std::make_shared<HiddenTextTask>(model, windows, config.real("masked") / 100, kPadToken);
  const int64_t ranks = config.integer("ranks");
  const TrainingConfig training =
      small_training(ranks, 8 * ranks, config.integer("steps"), 3e-3, uint64_t(config.integer("seed")));
  TrainedModel trained{ByteModel(model), initial_values(classifier_shapes(model), training.seed), {}};
  trained.after = trained.before;
  TrainerHooks hooks;
  hooks.control = &context.control;
  hooks.process = context.process;
  const std::string section = causal ? kCausal : kBoth;
  const TrainResult result = train_on(trained.after, training, task, context.store, section, hooks, rows);
  const Batch batch = task->batch(Split::kTrain, {0, 1, 2, 3, 4, 5, 6, 7}, {});
  record_row(context.store.recorder(section, 0),
             TaskRow{section, batch.tokens.numel(), batch.beside[0].sum().item<int64_t>(),
                     last_byte_loss(trained, windows_of(data.test, T)), result.steps});
  return trained;
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
                {random({most, kHead}, seed, "q"), random({most, kHead}, seed, "k"), causal});
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
    for (const TrainedModel& trained : models)
      record_head(pen, of, head_of(trained.model, of == kTrained ? trained.after : trained.before, text));
  }
  record_writing(parts.section(kGenerating), models[0].model, models[0].after,
                 {text.begin(), text.begin() + 8}, config.integer("bytes"));
  context.store.set_rows(rows);
}

}  // namespace ringside::lessons::decoder_only
