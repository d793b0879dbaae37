// Measures one attention head at growing T in three ways, a layer's kept bytes, and reads released models'
// caches.
#include "parts.h"
#include "ringside/base/thread_time.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/language_model.h"
#include "ringside/nn/layers.h"
#include "ringside/nn/tiled_attention.h"
#include "ringside/planner/model_shapes.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/peak_memory.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::lessons::context {
namespace {

constexpr int64_t kHead = 64, kRounds = 4;  // d; the least of so many
constexpr double kCard = 80e9;              // bytes

struct Inputs {
  at::Tensor q, k, v, do_;
};

Inputs inputs_of(const Config& config, int64_t T) {
  const auto numbers = [&](const char* of) {
    return normal_numbers({1, 1, T, kHead}, uint64_t(config.integer("seed")), of);
  };
  const auto leaf = [&](const char* of) { return numbers(of).set_requires_grad(true); };
  return {leaf("q"), leaf("k"), leaf("v"), numbers("do")};
}

// The results: values and three gradients.
std::vector<at::Tensor> forward_and_backward(const std::string& way, const Inputs& in, const Config& config) {
  const auto& [q, k, v, do_] = in;
  const TiledAttention how{.tile = config.integer("tile"),
                           .window = way == kWindow ? config.integer("window") : 0};
  const at::Tensor o = way == kScores ? attention_with_scores(q, k, v) : tiled_attention(q, k, v, how);
  run_backward((o * do_).sum());
  return {o.detach(), q.grad(), k.grad(), v.grad()};
}

void measure_bytes(const Config& config, Recorder& pen, int64_t T, int64_t step) {
  at::Tensor exact;  // (4, 1, 1, T, d), as mine
  const auto largest = [](const at::Tensor& of) { return of.abs().flatten(1).amax(1); };  // (4)
  for (const char* way : kWays) {
    const Inputs in = inputs_of(config, T);
    std::vector<at::Tensor> results;
    const auto bytes = double(peak_memory_of([&] { results = forward_and_backward(way, in, config); }));
    const at::Tensor mine = at::stack(results);
    if (way == kScores) exact = mine;
    record_point(pen, line_of(way, kBytes), double(T), bytes);
    record_point(pen, line_of(way, kDifference), double(T),
                 (largest(mine - exact) / largest(exact)).max().item<double>());
    pen.scalar(line_of(way, "MiB at once"), step, bytes / (1 << 20));
  }
}

double ms_of(const std::string& way, const Config& config, int64_t T) {
  const Inputs in = inputs_of(config, T);
  const double start = thread_cpu_ns();
  forward_and_backward(way, in, config);
  return (thread_cpu_ns() - start) * 1e-6;
}

void measure_attention(const Config& config, const RunContext& context, const std::vector<int64_t>& lengths,
                       RunParts& parts) {
  Recorder& pen = *context.store.add_section(kAttention, {}, 1).at(0);
  for (int64_t step = 0; const int64_t T : lengths) {
    context.control.pass_step();
    const SpanScope span(pen, "step", step);
    measure_bytes(config, pen, T, step++);
    parts.tell(kAttention);
  }
  std::map<std::pair<int64_t, std::string>, double> least;  // ms, by T and way
  // A round goes over all lengths: what else the machine does meets them alike.
  for (int64_t round = 0; round < kRounds; ++round, parts.tell(kAttention))
    for (const int64_t T : lengths)
      for (const char* way : kWays) {
        context.control.pass_step();
        const double ms = ms_of(way, config, T);
        double& kept = least.emplace(std::pair{T, way}, ms).first->second;
        kept = std::min(kept, ms);
      }
  for (int64_t step = 0; const int64_t T : lengths) {
    for (const char* way : kWays) {
      record_point(pen, line_of(way, kMs), double(T), least.at({T, way}));
      pen.scalar(line_of(way, kMs), step, least.at({T, way}));
    }
    ++step;
  }
}

// Bytes that autograd keeps of the function's work, beside its input.
int64_t kept_by(const std::function<at::Tensor()>& forward) {
  const MemoryHook hook(nullptr);
  const at::Tensor result = forward();
  return hook.live_total();
}

void measure_layer(const Config& config, Recorder& pen, int64_t T) {
  const int64_t H = config.integer("hidden");
  const ClassifierConfig model{
      .hidden = H, .heads = 4, .kv_heads = 4, .intermediate = 4 * H, .layers = 1, .attention_bias = false};
  const LanguageModel of(model, initial_values(classifier_shapes(model), 1));
  for (const at::Tensor& t : of.weights) t.set_requires_grad(true);
  const Leaves leaves = leaves_of(of.weights);
  const AttentionWeights attention = weights_of(of.layers.decoder[0].attention, leaves);
  const at::Tensor x = normal_numbers({1, T, H}, 2, "x"), mask = make_causal_mask(T);
  const RotaryTable rotary = rotary_table_of(model, T);
  const int64_t scores = model.heads * T * T * 4;
  const int64_t rest =
      kept_by([&] { return grouped_query_attention(x, attention, model, rotary, mask); }) - scores;
  const int64_t mlp = kept_by([&] { return output_of(of.layers.decoder[0].mlp, leaves, x); });
  for (const auto& [line, bytes] : {std::pair{kKeptScores, scores}, {kKeptRest, rest}, {kKeptMlp, mlp}})
    record_point(pen, line, double(T), double(bytes));
}

void read_models(const Config& config, Recorder& pen) {
  for (const std::string& name : packaged_models()) {
    const ModelConfig model = read_model_config(packaged_model(name));
    const TextSizes& text = model.text;
    const int64_t bytes = text.cached_bytes(2), with_all = bytes / text.kv_heads * text.heads;
    const double weights =
        2.0 * double(count_parameters(model_shapes(model, {ModelHead::Kind::kLanguageModel})));
    const double users = (kCard - weights) / (double(bytes) * double(config.integer("context")));
    record_row(pen,
               CacheRow{name, text.heads, text.kv_heads, bytes, with_all, int64_t(std::max(0.0, users))});
  }
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  const KeepThreadCounts thread_counts;
  use_one_thread();
  std::vector<int64_t> lengths;
  for (int64_t T = 256; T <= config.integer("tokens"); T *= 2) lengths.push_back(T);
  RunParts parts(context, kRounds + 2 * std::ssize(lengths) + 1);
  measure_attention(config, context, lengths, parts);
  Recorder& layer = *context.store.add_section(kLayer, {}, 1).at(0);
  for (const int64_t T : lengths) {
    context.control.pass_step();
    measure_layer(config, layer, T);
    parts.tell(kLayer);
  }
  read_models(config, *context.store.add_section(kReleased, {}, 1).at(0));
  read_passages(config, *context.store.add_section(kRetrieval, {}, 1).at(0));
  TraceRows rows;
  read_beyond(config, context, rows);
}

}  // namespace ringside::lessons::context
