// The runs: what a rank does whose batch leaves the expert unused.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "parts.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/faults/injector.h"
#include "ringside/lesson/tr.h"
#include "ringside/nn/parameters.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"
#include "ringside/zero/make_strategy.h"

namespace ringside::lessons::missing_gradient {
namespace {

constexpr int64_t kHidden = 96, kRows = 512;
constexpr double kScale = 5;  // of the initial values, so that a step is far above fp32's rounding
constexpr size_t kExpert = kLayers, kTop = kLayers + 1;  // of the parameters: construction order

struct Variant {
  const char* section;
  const char* optimizer = "sgd";
  int64_t steps = 1;
  bool absent_uses = false, skips_none = false, skips_bucket = false, none_in_last = false, square = false;
};
const Variant kVariants[] = {{kAll, "sgd", 1, true},
                             {kOne},
                             {kUnused, "adamw", 2, true, false, false, true},
                             {.section = kSkipsNone, .skips_none = true},
                             {.section = kSkips, .skips_bucket = true},
                             {.section = kSilent, .skips_bucket = true, .square = true}};

struct Net {
  ParameterSet parameters;
  explicit Net(bool square) {
    for (int i = 0; i < kLayers; ++i)
      parameters.shapes.push_back({"layer " + std::to_string(i), 0, {kHidden, kHidden}});
    parameters.shapes.push_back({"expert", 0, {square ? kHidden : kHidden / 2, kHidden}});
    parameters.shapes.push_back({"top", 0, {kHidden, kHidden}});
    parameters.leaves.resize(parameters.shapes.size());
    parameters.units = 1;
    parameters.unit_names = {"net"};
  }
  at::Tensor loss(at::Tensor x, bool uses_expert) const {
    const auto& p = parameters.leaves;
    for (size_t i = 0; i < kExpert; ++i) x = at::tanh(at::linear(x, p[i]));
    if (uses_expert) {
      const at::Tensor y = at::linear(x, p[kExpert]);
      x = x + (y.size(1) == kHidden ? y : at::cat({y, y}, 1));
    }
    return at::linear(x, p[kTop]).pow(2).sum();
  }
};

// Every rank has the same rows, so that gradients differ by the expert alone.
at::Tensor rows() {
  const at::Tensor x = at::empty({kRows, kHidden});
  RandomStream stream(1, "rows", 0);
  for (int64_t i = 0; i < x.numel(); ++i) x.data_ptr<float>()[i] = static_cast<float>(stream.normal());
  return x;
}

class Rank {
 public:
  Rank(World& world, const Variant& variant, int absent)
      : world_(world), variant_(variant), is_absent_(world.rank() == absent) {}

  void train() {
    use_one_thread();
    Net& net = world_.make<Net>(variant_.square);
    OptimizerConfig config{.name = variant_.optimizer};
    if (config.name == "sgd") config.values = {{"momentum", 0}, {"weight_decay", 0}};
    Optimizer& optimizer = world_.make<Optimizer>(make_optimizer(config));
    const Distribution options{
        .precision = Precision::kFloat32, .bucket_elements = kHidden * kHidden, .clip_norm = 0};
    Strategy& strategy = *world_.make<std::unique_ptr<Strategy>>(
        make_strategy({net.parameters, world_.group("dp"), optimizer, options, world_.recorder()}));
    strategy.load([&](size_t p, const at::Tensor& out) {
      initialize(out, net.parameters.shapes[p], 0);
      out.mul_(kScale);
    });
    for (int64_t step = 0; step < variant_.steps; ++step) take(net, strategy, step);
  }

 private:
  void take(Net& net, Strategy& strategy, int64_t step) {
    if (world_.faults() != nullptr) world_.faults()->begin_step(world_.rank(), step);
    at::Tensor& expert = net.parameters.leaves[kExpert];
    const at::Tensor before = expert.detach().clone();
    const bool none = variant_.none_in_last && step + 1 == variant_.steps;
    Recorder& recorder = *world_.recorder();
    strategy.begin_step(step);
    strategy.begin_micro_batch(true);
    const at::Tensor loss = net.loss(rows(), !none && (variant_.absent_uses || !is_absent_));
    world_.group("dp").barrier({"start", ""})->wait();  // so that what waits afterwards waits for a gradient
    {
      const SpanScope span(recorder, "backward", step);
      run_backward(loss);
    }
    strategy.end_micro_batch();
    strategy.step({.learning_rate = 1e-3, .step = step + 1, .samples = double(world_.size())});
    const at::NoGradGuard no_grad;
    if (variant_.skips_none && is_absent_) expert.copy_(before);  // as one that leaves a None where it was
    record_row(recorder, MoveRow{world_.rank(), step, (expert - before).norm().item<double>(),
                                 expert.norm().item<double>()});
  }

  World& world_;
  const Variant& variant_;
  const bool is_absent_;
};

}  // namespace

void run(const Config& config, const RunContext& context) {
  const int ranks = static_cast<int>(config.integer("ranks"));
  const int absent = std::min(ranks - 1, static_cast<int>(config.integer("absent")));
  int64_t done = 0;
  for (const Variant& variant : kVariants) {
    context.control.pass_step();
    WorldOptions options{.ranks = ranks, .timeout = std::chrono::seconds(variant.square ? 1 : 20)};
    options.recorders =
        context.store.add_section(variant.section, {{kAbsent, std::to_string(absent)}}, ranks);
    Fault skip{.kind = FaultKind::kSkip, .rank = absent, .tag = "gradients"};
    skip.unit = "bucket " + std::to_string(kExpertBucket);
    FaultInjector faults({variant.skips_bucket ? std::vector{skip} : std::vector<Fault>{}}, ranks);
    options.hooks.faults = &faults;
    try {
      run_world(options, [&](World& world) { Rank(world, variant, absent).train(); });
    } catch (const Error& error) {
      if (!variant.skips_bucket) throw;
      context.store.set_attributes(variant.section, {{kError, std::string(error.what())}});
    }
    context.progress({variant.section, ++done, std::ssize(kVariants)});
  }
}

}  // namespace ringside::lessons::missing_gradient
