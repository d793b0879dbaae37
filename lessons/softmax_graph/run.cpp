// Builds the graphs, walks through them, and looks for lost digits.
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <set>
#include <sstream>

#include "ringside/libtorch/graph.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "rows.h"

namespace ringside::lessons::softmax_graph {
namespace {

namespace functional = torch::nn::functional;  // a call of softmax alone would be that of at

at::Tensor result_of(const std::string& program, const at::Tensor& x, const at::Tensor& target) {
  if (program == kModule) return torch::nn::Softmax(1)(x);
  if (program == kFunction) return functional::softmax(x, 1);
  const at::ScalarType other = x.scalar_type() == at::kFloat ? at::kDouble : at::kFloat;
  if (program == kTyped) return functional::softmax(x, functional::SoftmaxFuncOptions(1).dtype(other));
  return at::nll_loss(program == kFused ? at::log_softmax(x, 1) : at::log(functional::softmax(x, 1)), target);
}

// The bytes that only the result keeps alive are counted by the allocator: x and target were there before.
void record_graph(Recorder& recorder, const std::string& program, const at::Tensor& x,
                  const at::Tensor& target) {
  const MemoryHook hook(nullptr);
  const at::Tensor result = result_of(program, x, target);
  ProgramRow whole{program, 0, 0, double(hook.live_total()) / double(x.nbytes())};
  std::set<const void*> seen;
  std::vector<GraphNode> chain = chain_behind(result);
  std::ranges::reverse(chain);  // as forward built it: who keeps a storage first comes first
  for (const GraphNode& node : chain) {
    NodeRow row{.program = program, .node = node->name().substr(node->name().rfind(':') + 1), .saved = ""};
    for (const auto& [name, value] : saved_by(node)) {
      const auto bytes = int64_t(value.nbytes());
      row.saved += (row.saved.empty() ? "" : ", ") + name;
      row.saved_bytes += bytes;
      row.new_bytes += seen.insert(value.storage().data()).second ? bytes : 0;
      row.keeps_x = row.keeps_x || value.is_alias_of(x);
    }
    record_row(recorder, row);
    whole.own += row.new_bytes;
    whole.again += row.saved_bytes - row.new_bytes;
  }
  record_row(recorder, whole);
}

void record_differences(Recorder& recorder, const at::Tensor& x) {
  const TablePtr table = recorder.declare({kDifferences, {{"what"}, {"nn::Softmax"}, {"softmax()"}}});
  const auto say = [&](const auto&... words) { recorder.row(table, {words...}); };
  const auto count = [](const auto& list) { return std::to_string(list.size()); };
  const auto printed = [](const auto& module) { return (std::ostringstream() << module).str(); };
  const auto function = [](const at::Tensor& input) { return functional::softmax(input, 1); };
  torch::nn::Softmax module(1);
  torch::nn::Functional wrapped(function);
  torch::nn::Sequential with(torch::nn::Linear(2, 2), module), without(torch::nn::Linear(2, 2));
  say(tr("parameters and buffers"), count(module->parameters()) + " + " + count(module->buffers()), "0");
  say(tr("parameters of Sequential(Linear, it)"), count(with->parameters()), count(without->parameters()));
  say(tr("modules of Sequential(Linear, it)"), count(with->children()), count(without->children()));
  say(tr("prints as"), printed(module), printed(wrapped));
  say(tr("dim is given"), tr("once; it keeps {}", module->options.dim()), tr("at each call"));
  module->eval();
  say(tr("result after eval()"), at::equal(module(x), function(x)) ? tr("the same bits") : tr("other bits"),
      "");
}

// One logit is 0, seven are -spread: log p of the greatest is -log1p(rest), of the others -spread -
// log1p(rest).
void record_digits(Recorder& recorder, at::ScalarType dtype, double spread) {
  const at::Tensor x = at::full({1, 8}, -spread, at::dtype(dtype));
  x.select(1, 0).zero_();
  x.set_requires_grad(true);
  const auto greatest = -std::log1p(7 * std::exp(-static_cast<long double>(spread)));
  const auto off = [](const at::Tensor& log, int64_t i, long double exact) {
    return double(std::abs((log[0][i].item<double>() - exact) / exact));
  };
  for (const bool fused : {true, false}) {
    const at::Tensor log = fused ? at::log_softmax(x, 1) : at::log(functional::softmax(x, 1));
    x.mutable_grad().reset();
    run_backward(at::nll_loss(log, at::full({1}, 7, at::kLong)));
    DigitsRow row{.fused = fused, .infinite = std::isinf(log[0][7].item<double>()), .spread = spread};
    row.digits = (dtype == at::kFloat ? 24 : 53) * std::log10(2.0);
    row.least = row.infinite ? 1 : off(log, 7, greatest - spread);
    row.greatest = off(log, 0, greatest);
    row.spoilt = at::isfinite(x.grad()).logical_not().sum().item<int64_t>();
    record_row(recorder, row);
  }
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  use_one_thread();
  constexpr int kSpreads = 125, kSteps = kSpreads + std::ssize(kPrograms) + 1;
  const bool is_fp32 = config.text("precision") == "fp32";
  const at::ScalarType dtype = is_fp32 ? at::kFloat : at::kDouble;
  const int64_t rows = config.integer("rows"), classes = config.integer("classes");
  const at::Tensor x =
      at::linspace(-3, 3, rows * classes, at::dtype(dtype)).view({rows, classes}).set_requires_grad(true);
  const at::Tensor target = at::arange(rows, at::kLong).remainder(classes);
  int64_t done = 0;
  const auto step = [&](Recorder& recorder, const std::string& name, const auto& work) {
    context.control.pass_step();
    const SpanScope span(recorder, "step", done, name);
    work();
    context.progress({name, ++done, kSteps});
  };

  Recorder& graphs = *context.store.add_section(kGraphs, {}, 1).front();
  for (const char* program : kPrograms)
    step(graphs, program, [&] { record_graph(graphs, program, x, target); });
  step(graphs, kDifferences, [&] { record_differences(graphs, x); });
  Recorder& digits = *context.store.add_section(kDigits, {}, 1).front();
  for (int i = 1, unit = is_fp32 ? 1 : 7; i <= kSpreads; ++i)
    step(digits, tr("spread {}", i * unit), [&] { record_digits(digits, dtype, i * unit); });
}

}  // namespace ringside::lessons::softmax_graph
