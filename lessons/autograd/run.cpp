// Hooks of AccumulateGrad: when and where they are called, how often, and what another order on one rank
// does.
#include <torch/csrc/autograd/autograd.h>

#include <thread>

#include "parts.h"
#include "ringside/comm/errors.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/libtorch/graph.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/recompute.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/train/in_world.h"

namespace ringside::lessons::autograd {
namespace {

constexpr int64_t kWidth = 96, kBatch = 1024;

at::Tensor drawn(const std::string& name, at::IntArrayRef shape) {
  return 0.1 * normal_numbers(shape, 1, name);
}
at::Tensor leaf(const std::string& name, int64_t rows) {
  return drawn(name, {rows, kWidth}).set_requires_grad(true);
}
at::Tensor layer(const at::Tensor& x, const at::Tensor& W) { return at::tanh(at::linear(x, W)); }

// A bucket a parameter.
Strategy& strategy_of(World& world, ParameterSet& net) {
  Strategy& strategy = plain_data_parallel(world, net, "sgd", kWidth * kWidth);
  strategy.load([&](size_t p, const at::Tensor& out) { out.copy_(drawn(net.shapes[p].name, out.sizes())); });
  return strategy;
}

// ---- How often ------------------------------------------------------------------------

void record_calls(Recorder& pen) {
  const at::Tensor x = drawn("x", {8, kWidth}), W = leaf("W", kWidth), V = leaf("V", kWidth);
  const auto once = [&] { run_backward(layer(x, W).sum()); };
  const auto add = [&](const char* what, int64_t uses, int64_t backwards, const auto& body) {
    HookRow row{what, uses, backwards};
    const GradientHook hook(W, [&] { ++row.calls; });
    body();
    record_row(pen, row);
  };
  add("used once", 1, 1, once);
  add(kTwice, 2, 1, [&] { run_backward(layer(layer(x, W), W).sum()); });
  add(kMicro, 2, 2, [&] { once(), once(); });
  add("not used", 0, 1, [&] { run_backward(layer(x, V).sum()); });
  add("gradient penalty: grad(), then backward", 1, 1, [&] {
    const at::Tensor input = x.clone().set_requires_grad(true);
    const at::Tensor dx =
        torch::autograd::grad({layer(input, W).sum()}, {input}, {}, {}, /*create_graph=*/true)[0];
    run_backward(dx.pow(2).sum());
  });
  add(kRecomputed, 2, 1, [&] {
    const auto recomputed = [&](const at::Tensor& in) {
      return forward_of_recomputed(in, [&](const at::Tensor& again, bool) { return layer(again, W); });
    };
    run_backward(recomputed(recomputed(x.clone().set_requires_grad(true))).sum());
  });
}

// ---- When, and on which thread ----------------------------------------------------------

constexpr int64_t kUses[][2] = {{0, 0}, {1, 6}, {2, 2}, {3, 3}, {4, 5}};  // first and last, of kDeclared

ParameterSet declared_net() {
  Declaration net;
  net.begin_unit("net", "");
  for (const char* name : kDeclared) net.add(name, {kWidth, kWidth});
  return ParameterSet::of(net);
}
at::Tensor loss_of(const ParameterSet& net, const at::Tensor& x) {
  at::Tensor h = x;
  for (const int W : {1, 2, 3, 4, 4}) h = at::mm(h, net.leaves[size_t(W)]);
  return at::mm(h, net.leaves[1].t()).pow(2).mean();
}

// Autograd's nodes behind the loss; the leaves by their names, with the order of their hooks.
void record_graph(Recorder& pen, const at::Tensor& loss, const ParameterSet& net,
                  const std::vector<FiredRow>& fired) {
  const GraphBehind graph = graph_behind(loss);
  for (size_t id = 0; id < graph.nodes.size(); ++id) {
    const std::string name = graph.nodes[id]->name();
    NodeRow row{int64_t(id), name.substr(0, name.find("Backward")), ""};  // "MmBackward0"
    for (const FiredRow& hook : fired)
      if (leaf_of(graph.nodes[id]).is_same(net[hook.parameter]))
        row.text = hook.parameter, row.detail = tr("hook {}", hook.order);
    record_row(pen, row);
  }
  for (const auto& [from, to] : graph.edges) record_row(pen, EdgeRow{int64_t(from), int64_t(to)});
}

void record_hooks(World& world) {
  Recorder& pen = *world.recorder();
  auto& net = world.make<ParameterSet>(declared_net());
  Strategy& strategy = strategy_of(world, net);
  std::vector<FiredRow> fired;
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<GradientHook> hooks;
  for (size_t p = 0; p < std::size(kDeclared); ++p)
    hooks.emplace_back(net.leaves[p], [&, p] {
      fired.push_back({world.rank(), kDeclared[p], std::ssize(fired) + 1, kUses[p][0], kUses[p][1],
                       std::this_thread::get_id() == caller});
    });
  const MemoryScope scope(Category::kActivations);
  at::Tensor loss;
  strategy.run_backward_of(0, [&] {
    loss = loss_of(net, drawn("rows", {kBatch, kWidth}));
    pen.scalar("loss", 0, loss.item<double>());
    world.group("dp").barrier({"start", ""})->wait();
    return loss;
  });
  for (const FiredRow& row : fired) record_row(pen, row);
  if (world.rank() != 0) return;
  record_graph(pen, loss, net, fired);
  record_calls(pen);
}

// ---- Another order on rank 1 --------------------------------------------------------------

ParameterSet branches(int64_t rows_of_q) {
  const std::vector<at::Tensor> leaves{leaf("P", kWidth), leaf("Q", rows_of_q)};
  return {{{"P", 0, {kWidth, kWidth}}, {"Q", 0, {rows_of_q, kWidth}}}, leaves, 1, {"branches"}};
}
// One of the branches is computed first in forward, so its gradient is ready last.
at::Tensor loss_of(const ParameterSet& branches, const at::Tensor& x, bool p_first) {
  const auto p = [&] { return layer(x, branches.leaves[0]).sum(); };
  const auto q = [&] { return layer(x, branches.leaves[1]).pow(2).sum(); };
  const at::Tensor first = p_first ? p() : q();
  return first + (p_first ? q() : p());
}

// The difference from the right gradient of P and Q, over its length. All ranks have the same rows.
double gradient_off(const ParameterSet& net, const at::Tensor& x, int ranks) {
  const ParameterSet right = branches(net.shapes[1].shape[0]);
  run_backward(loss_of(right, x, true));
  const at::Tensor wanted = joined(gradients_in(right.leaves)),
                   found = joined(gradients_in(net.leaves)) / ranks;
  return ((found - wanted).norm() / wanted.norm()).item<double>();
}

void backward_as_ready(World& world, const ParameterSet& net, const std::function<at::Tensor()>& loss) {
  std::vector<WorkPtr> works;
  std::vector<GradientHook> hooks;
  for (size_t p = 0; p < net.leaves.size(); ++p)
    hooks.emplace_back(net.leaves[p], [&, p] {
      const MutableView gradient = view_of(net.leaves[p].grad());
      works.push_back(world.group("dp").all_reduce(gradient, {"gradients", net.shapes[p].name}));
    });
  run_backward(loss());
  wait_all(works);
}

void predict_hooks(RankRows& rows) {
  rows.broadcast("initial", 4 * std::ssize(kDeclared) * kWidth * kWidth);
  rows.traffic("start", Op::kBarrier);
  rows.all_reduce("gradients", std::ssize(kDeclared), kWidth * kWidth, Dtype::kFloat32);
}

RanksSection in_another_order(OrderRow& row, int ranks) {
  const bool in_buckets = row.way == kFixed;
  const auto body = [&row, in_buckets](World& world) {
    auto& net = world.make<ParameterSet>(branches(row.way == kAsReadySizes ? kWidth / 2 : kWidth));
    const at::Tensor x = drawn("rows", {kBatch, kWidth});
    const auto loss = [&] { return loss_of(net, x, /*p_first=*/world.rank() != 1); };
    if (in_buckets)
      strategy_of(world, net).run_backward_of(0, loss);
    else
      backward_as_ready(world, net, loss);
    if (world.rank() == 0) row.off = 100 * gradient_off(net, x, world.size());
  };
  const auto predict = [in_buckets](RankRows& rows) {
    if (in_buckets) rows.broadcast("initial", 2 * 4 * kWidth * kWidth);
    rows.all_reduce("gradients", 2, kWidth * kWidth, Dtype::kFloat32);
  };
  return {ranks, body, predict};
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  const int ranks = int(config.integer("ranks"));
  RunParts parts(context, 4);
  TraceRows rows;
  const auto section = [&](const std::string& name, const RanksSection& of) {
    parts.begin(name);
    run_and_book(of, name, context.control, context.store, rows);
  };
  section(kHooks, {ranks, record_hooks, predict_hooks});
  for (const char* way : {kFixed, kAsReady, kAsReadySizes}) {
    const std::string name = tr("another order, {}", way);
    OrderRow row{way};
    try {
      section(name, in_another_order(row, ranks));
    } catch (const CollectiveError& error) {
      row.error = row.named = error.std::runtime_error::what();
      if (const size_t last = row.error.rfind("; "); last != row.error.npos) row.named.erase(0, last + 2);
    }
    record_row(context.store.recorder(name, 0), row);
  }
}

}  // namespace ringside::lessons::autograd
