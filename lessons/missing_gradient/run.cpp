// The runs: what a rank does whose batch leaves the expert unused.
#include <ATen/ATen.h>
#include <torch/optim/adamw.h>

#include "parts.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/faults/injector.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/parameters.h"
#include "ringside/optim/optimizer.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/in_world.h"
#include "ringside/world/world.h"

namespace ringside::lessons::missing_gradient {
namespace {

constexpr int64_t kHidden = 96, kRows = 512;
constexpr double kScale = 5;  // of the initial values, so that a step is far above fp32's rounding
constexpr double kRate = 1e-3;
constexpr size_t kExpert = kLayers, kTop = kLayers + 1;  // of the parameters: construction order

struct Variant {
  const char* section;
  const char* optimizer = "sgd";
  int64_t steps = 1;
  bool absent_uses = false, skips_none = false, skips_bucket = false, none_in_last = false, square = false;
  bool like_ddp = false;
};
const Variant kVariants[] = {{kAll, "sgd", 1, true},
                             {kOne},
                             {kUnused, "adamw", 2, true, false, false, true},
                             {.section = kLikeDdp, .steps = 2, .like_ddp = true},
                             {.section = kSkipsNone, .skips_none = true},
                             {.section = kSkips, .skips_bucket = true},
                             {.section = kSilent, .skips_bucket = true, .square = true}};

struct Net {
  ParameterSet parameters;
  explicit Net(bool square) {
    Declaration net;
    net.begin_unit("net", "");
    for (int i = 0; i < kLayers; ++i) net.add("layer " + std::to_string(i), {kHidden, kHidden});
    net.add("expert", {square ? kHidden : kHidden / 2, kHidden});
    net.add("top", {kHidden, kHidden});
    parameters = ParameterSet::of(net);
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
at::Tensor rows() { return normal_numbers({kRows, kHidden}, 1, "rows"); }

class Rank {
 public:
  Rank(World& world, const Variant& variant, int absent)
      : world_(world), variant_(variant), is_absent_(world.rank() == absent) {}

  void train() {
    use_one_thread();
    Net& net = world_.make<Net>(variant_.square);
    Strategy& strategy = plain_data_parallel(world_, net.parameters, variant_.optimizer, kHidden * kHidden);
    strategy.load([&](size_t p, const at::Tensor& out) {
      initialize(out, net.parameters.shapes[p], 0);
      out.mul_(kScale);
    });
    for (int64_t step = 0; step < variant_.steps; ++step) take(net, strategy, step);
  }

  // As PyTorch's DDP with find_unused_parameters, without buckets: ranks sum how many used a parameter, and
  // then its gradient. What nobody used has no gradient, and LibTorch's AdamW leaves it out.
  void train_like_ddp() {
    use_one_thread();
    Net net(false);
    std::vector<at::Tensor>& leaves = net.parameters.leaves;
    for (size_t p = 0; p < leaves.size(); ++p) {
      leaves[p] = at::empty(net.parameters.shapes[p].shape);
      initialize(leaves[p], net.parameters.shapes[p], 0);
      leaves[p].mul_(kScale).set_requires_grad(true);
    }
    const double decay = make_optimizer({.name = "adamw"}).value("weight_decay");
    torch::optim::AdamW optimizer(leaves, torch::optim::AdamWOptions(kRate).weight_decay(decay));
    for (int64_t step = 0; step < variant_.steps; ++step) {
      const at::Tensor before = leaves[kExpert].detach().clone();
      for (at::Tensor& leaf : leaves) leaf.mutable_grad().reset();
      run_backward(net.loss(rows(), step + 1 < variant_.steps));
      for (at::Tensor& leaf : leaves) {
        const at::Tensor users = at::full({1}, leaf.grad().defined() ? 1.0 : 0.0);
        sum(users, "used");
        if (users.item<float>() == 0) continue;
        if (!leaf.grad().defined()) leaf.mutable_grad() = at::zeros_like(leaf);
        sum(leaf.grad(), "gradients");
        leaf.mutable_grad().div_(world_.size());
      }
      optimizer.step();
      record(step, before, leaves[kExpert].detach());
    }
  }

 private:
  void sum(const at::Tensor& over, const char* what) {
    world_.group("dp")
        .all_reduce({over.data_ptr<float>(), over.numel(), Dtype::kFloat32}, {what, ""})
        ->wait();
  }

  void record(int64_t step, const at::Tensor& before, const at::Tensor& after) {
    record_row(*world_.recorder(), MoveRow{world_.rank(), step, (after - before).norm().item<double>(),
                                           after.norm().item<double>()});
  }

  void take(Net& net, Strategy& strategy, int64_t step) {
    if (world_.faults() != nullptr) world_.faults()->begin_step(world_.rank(), step);
    at::Tensor& expert = net.parameters.leaves[kExpert];
    const at::Tensor before = expert.detach().clone();
    const bool none = variant_.none_in_last && step + 1 == variant_.steps;
    strategy.run_backward_of(step, [&] {
      const at::Tensor loss = net.loss(rows(), !none && (variant_.absent_uses || !is_absent_));
      world_.group("dp")
          .barrier({"start", ""})
          ->wait();  // so that what waits afterwards waits for a gradient
      return loss;
    });
    strategy.step({.learning_rate = kRate, .step = step + 1, .samples = double(world_.size())});
    if (variant_.skips_none && is_absent_) expert.detach().copy_(before);  // as one that skips None
    record(step, before, expert.detach());
  }

  World& world_;
  const Variant& variant_;
  const bool is_absent_;
};

}  // namespace

void run(const Config& config, const RunContext& context) {
  const int ranks = int(config.integer("ranks"));
  const int absent = int(config.integer("absent"));
  if (absent >= ranks)
    throw UsageError(tr("absent={}: with ranks={} the last rank is {}", absent, ranks, ranks - 1));
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
      run_world(options, [&](World& world) {
        Rank rank(world, variant, absent);
        variant.like_ddp ? rank.train_like_ddp() : rank.train();
      });
    } catch (const Error& error) {
      if (!variant.skips_bucket) throw;
      context.store.set_attributes(variant.section, {{kError, std::string(error.what())}, {kBroke, true}});
    }
    context.progress({variant.section, ++done, std::ssize(kVariants)});
  }
}

}  // namespace ringside::lessons::missing_gradient
