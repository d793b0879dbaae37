// Measures one attention head at growing T in three ways, a layer's kept bytes, and reads released models'
// caches.
#include "parts.h"
#include "ringside/base/thread_time.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/layers.h"
#include "ringside/nn/tiled_attention.h"
#include "ringside/planner/model_shapes.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::lessons::context {
namespace {

constexpr int64_t kHead = 64, kRounds = 4;  // d; the least of so many
constexpr double kCard = 80e9;              // bytes

struct Inputs {
  at::Tensor q, k, v, do_;
};

at::Tensor attend(const std::string& way, const Inputs& in, const Config& config) {
  const int64_t T = in.q.size(2), tile = config.integer("tile");
  if (way == kTiles) return tiled_attention(in.q, in.k, in.v, {.tile = tile});
  if (way == kWindow)
    return tiled_attention(in.q, in.k, in.v, {.tile = tile, .window = config.integer("window")});
  const at::Tensor scores =
      at::matmul(in.q, in.k.transpose(2, 3)) / std::sqrt(double(kHead)) + make_causal_mask(T);
  return at::matmul(at::softmax(scores, -1), in.v);
}

void drop_gradients(const Inputs& in) {
  for (const at::Tensor& leaf : {in.q, in.k, in.v}) leaf.mutable_grad().reset();
}

// The results, one behind the other: values and three gradients.
std::vector<at::Tensor> forward_and_backward(const std::string& way, const Inputs& in, const Config& config) {
  drop_gradients(in);
  const at::Tensor o = attend(way, in, config);
  run_backward((o * in.do_).sum());
  return {o.detach(), in.q.grad(), in.k.grad(), in.v.grad()};
}

int64_t most_bytes(const std::function<void()>& work) {
  const auto store = TraceStore::create("bytes");
  {
    const MemoryHook hook(store->add_section("work", {}, 1).front());
    work();
  }
  const Trace trace = store->snapshot();
  int64_t most = 0;
  for (const Category category : kCategories)
    for (const MemoryEvent& event : trace.find("work")->memory(0, category))
      most = std::max(most, event.total_bytes);
  return most;
}

double difference(const std::vector<at::Tensor>& mine, const std::vector<at::Tensor>& other) {
  double largest = 0;
  for (size_t i = 0; i < mine.size(); ++i)
    largest = std::max(largest, ((mine[i] - other[i]).abs().max() / other[i].abs().max()).item<double>());
  return largest;
}

Inputs inputs_of(const Config& config, int64_t T) {
  const auto seed = uint64_t(config.integer("seed"));
  const auto leaf = [&](const char* of) {
    return normal_numbers({1, 1, T, kHead}, seed, of).set_requires_grad(true);
  };
  return {leaf("q"), leaf("k"), leaf("v"), normal_numbers({1, 1, T, kHead}, seed, "do")};
}

// A row for each way, without its time.
void measure_bytes(const Config& config, Recorder& pen, int64_t T, int64_t step,
                   std::vector<AttentionRow>& rows) {
  const Inputs in = inputs_of(config, T);
  std::vector<at::Tensor> mine, exact;
  for (const char* way : kWays) {
    AttentionRow row{.way = way, .T = T};
    // LibTorch warns of memory that is older than the hook and goes under it.
    mine.clear(), drop_gradients(in);
    row.bytes = most_bytes([&] { mine = forward_and_backward(way, in, config); });
    if (way == kScores) exact = mine;
    row.difference = difference(mine, exact);
    rows.push_back(row);
    record_point(pen, std::string(way) + ", bytes", double(T), double(row.bytes));
    pen.scalar(std::string(way) + ", MiB at once", step, double(row.bytes) / (1 << 20));
  }
}

// A round goes over all lengths: what else the machine does meets them alike.
void measure_round(const Config& config, const RunContext& context, std::vector<AttentionRow>& rows) {
  for (AttentionRow& row : rows) {
    context.control.pass_step();
    const Inputs in = inputs_of(config, row.T);
    const double start = thread_cpu_ns();
    forward_and_backward(row.way, in, config);
    const double ms = (thread_cpu_ns() - start) * 1e-6;
    row.ms = row.ms == 0 ? ms : std::min(row.ms, ms);
  }
}

void measure_attention(const Config& config, const RunContext& context, const std::vector<int64_t>& lengths,
                       const std::function<void(const char*)>& done) {
  Recorder& pen = *context.store.add_section(kAttention, {}, 1).at(0);
  std::vector<AttentionRow> rows;
  for (int64_t step = 0; const int64_t T : lengths) {
    context.control.pass_step();
    const SpanScope span(pen, "step", step);
    measure_bytes(config, pen, T, step++, rows);
    done(kAttention);
  }
  for (int64_t round = 0; round < kRounds; ++round) measure_round(config, context, rows), done(kAttention);
  for (size_t i = 0; i < rows.size(); ++i) {
    const AttentionRow& row = rows[i];
    record_row(pen, row);
    record_point(pen, row.way + ", ms", double(row.T), row.ms);
    pen.scalar(row.way + ", ms", int64_t(i / std::size(kWays)), row.ms);
  }
}

// Bytes that autograd keeps of the function's work, beside its input.
int64_t kept_by(const std::function<at::Tensor()>& forward) {
  const MemoryHook hook(nullptr);
  const at::Tensor result = forward();
  return hook.live_total();
}

void measure_layer(const Config& config, Recorder& pen, int64_t T) {
  const ClassifierConfig model{.hidden = config.integer("hidden"),
                               .heads = 4,
                               .kv_heads = 4,
                               .intermediate = 4 * config.integer("hidden")};
  const int64_t H = model.hidden, I = model.intermediate;
  const auto weight = [&](int64_t out, int64_t in) {
    return (normal_numbers({out, in}, 1, "w") * 0.02).set_requires_grad(true);
  };
  const AttentionWeights attention{weight(H, H), {}, weight(H, H), {}, weight(H, H), {}, weight(H, H)};
  const at::Tensor gate = weight(I, H), up = weight(I, H), down = weight(H, I);
  const at::Tensor x = normal_numbers({1, T, H}, 2, "x");
  const RotaryTable rotary = make_rotary_table(T, model.head_size(), model.rope_theta);
  const at::Tensor mask = make_causal_mask(T);
  LayerRow row{.T = T, .scores = model.heads * T * T * 4};
  row.rest = kept_by([&] { return grouped_query_attention(x, attention, model, rotary, mask); }) - row.scores;
  row.mlp = kept_by([&] { return swiglu(x, gate, up, down); });
  record_row(pen, row);
  record_point(pen, "scores", double(T), double(row.scores));
  record_point(pen, "rest of attention", double(T), double(row.rest));
  record_point(pen, "MLP", double(T), double(row.mlp));
}

void read_models(const Config& config, Recorder& pen) {
  for (const std::string& name : packaged_models()) {
    const ModelConfig model = read_model_config(packaged_model(name));
    const TextSizes& text = model.text;
    CacheRow row{name, text.heads, text.kv_heads};
    row.bytes = 2 * 2 * text.layers * text.kv_heads * text.head_size;  // a key and a value of 2 bytes each
    row.with_all = row.bytes / text.kv_heads * text.heads;
    const double weights =
        2.0 * double(count_parameters(model_shapes(model, {ModelHead::Kind::kLanguageModel})));
    row.users =
        int64_t(std::max(0.0, (kCard - weights) / (double(row.bytes) * double(config.integer("context")))));
    record_row(pen, row);
  }
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  const KeepThreadCounts thread_counts;
  use_one_thread();
  std::vector<int64_t> lengths;
  for (int64_t T = 256; T <= config.integer("tokens"); T *= 2) lengths.push_back(T);
  const auto all = kRounds + 2 * std::ssize(lengths) + 1;
  auto done = [&, steps = int64_t{0}](const char* part) mutable { context.progress({part, ++steps, all}); };
  measure_attention(config, context, lengths, std::ref(done));
  Recorder& layer = *context.store.add_section(kLayer, {}, 1).at(0);
  for (const int64_t T : lengths) {
    context.control.pass_step();
    measure_layer(config, layer, T);
    done(kLayer);
  }
  read_models(config, *context.store.add_section(kReleased, {}, 1).at(0));
  read_passages(config, *context.store.add_section(kRetrieval, {}, 1).at(0));
  TraceRows rows;
  read_beyond(config, context, rows);
}

}  // namespace ringside::lessons::context
