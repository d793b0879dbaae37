// Hooks of AccumulateGrad: when and where they are called, how often, and what another order on one rank
// does.
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <thread>

#include "ringside/comm/errors.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/recompute.h"
#include "ringside/nn/tensor_view.h"
#include "sections.h"

namespace ringside::lessons::autograd {
namespace {

constexpr int64_t kWidth = 96, kBatch = 1024;

at::Tensor drawn(const char* name, at::IntArrayRef shape) { return 0.1 * normal_numbers(shape, 1, name); }
at::Tensor leaf(const char* name, int64_t rows = kWidth) {
  return drawn(name, {rows, kWidth}).set_requires_grad(true);
}
at::Tensor layer(const at::Tensor& x, const at::Tensor& W) { return at::tanh(at::linear(x, W)); }

// ---- How often ------------------------------------------------------------------------

// Calls of W's hook while `body` runs.
int64_t calls_of(const at::Tensor& W, const std::function<void()>& body) {
  int64_t calls = 0;
  const GradientHook hook(W, [&] { ++calls; });
  body();
  return calls;
}

void record_calls(Recorder& pen) {
  const at::Tensor x = drawn("x", {8, kWidth}), W = leaf("W"), V = leaf("V");
  const auto once = [&] { run_backward(layer(x, W).sum()); };
  const auto add = [&](const char* what, int64_t uses, int64_t backwards, const std::function<void()>& body) {
    record_row(pen, HookRow{what, uses, backwards, calls_of(W, body)});
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

struct Net {
  ParameterSet parameters;
  Net() {
    for (const char* name : kDeclared) parameters.shapes.push_back({name, 0, {kWidth, kWidth}});
    parameters.leaves.resize(std::size(kDeclared));
    parameters.units = 1, parameters.unit_names = {"net"};
  }
  at::Tensor loss(const at::Tensor& x) const {
    const auto& p = parameters.leaves;
    at::Tensor h = x;
    for (const int W : {1, 2, 3, 4, 4}) h = at::mm(h, p[size_t(W)]);
    return at::mm(h, p[1].t()).pow(2).mean();
  }
};

// Autograd's nodes behind the loss; the leaves by their names, with the order of their hooks.
void record_graph(Recorder& pen, const at::Tensor& loss, const Net& net, const std::vector<int64_t>& order) {
  using torch::autograd::Node;
  std::map<Node*, int64_t> ids;
  const std::function<int64_t(const std::shared_ptr<Node>&)> visit = [&](const std::shared_ptr<Node>& node) {
    const auto [at, is_new] = ids.try_emplace(node.get(), std::ssize(ids));
    const int64_t id = at->second;
    if (!is_new) return id;
    std::string text = node->name().substr(0, node->name().find("Backward")), detail;  // "MmBackward0"
    if (const auto* accumulate = dynamic_cast<torch::autograd::AccumulateGrad*>(node.get()))
      for (size_t p = 0; p < std::size(kDeclared); ++p)
        if (accumulate->variable.is_same(net.parameters.leaves[p]))
          text = kDeclared[p], detail = tr("hook {}", order[p]);
    record_row(pen, NodeRow{id, text, detail});
    for (const torch::autograd::Edge& edge : node->next_edges())
      if (edge.is_valid()) {
        const int64_t to = visit(edge.function);
        record_row(pen, EdgeRow{id, to});
      }
    return id;
  };
  visit(loss.grad_fn());
}

void record_hooks(World& world) {
  Recorder& pen = *world.recorder();
  Net& net = world.make<Net>();
  Strategy& strategy = data_parallel(world, net.parameters, kSgd, kWidth * kWidth);
  strategy.load([&](size_t p, const at::Tensor& out) { out.copy_(drawn(kDeclared[p], out.sizes())); });
  std::vector<FiredRow> fired;
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<GradientHook> hooks;
  for (size_t p = 0; p < std::size(kDeclared); ++p)
    hooks.emplace_back(net.parameters.leaves[p], [&, p] {
      fired.push_back({world.rank(), kDeclared[p], std::ssize(fired) + 1, kUses[p][0], kUses[p][1],
                       std::this_thread::get_id() == caller});
    });
  const MemoryScope scope(Category::kActivations);
  strategy.begin_step(0);
  strategy.begin_micro_batch(true);
  const at::Tensor loss = net.loss(drawn("rows", {kBatch, kWidth}));
  pen.scalar("loss", 0, loss.item<double>());
  world.group("dp").barrier({"start", ""})->wait();
  {
    const SpanScope span(pen, "backward", 0);
    run_backward(loss);
  }
  strategy.end_micro_batch();
  for (const FiredRow& row : fired) record_row(pen, row);
  if (world.rank() != 0) return;
  std::vector<int64_t> order(std::size(kDeclared));
  for (const FiredRow& row : fired)
    order[size_t(std::ranges::find(kDeclared, row.parameter) - std::begin(kDeclared))] = row.order;
  record_graph(pen, loss, net, order);
  record_calls(pen);
}

// ---- Another order on rank 1 --------------------------------------------------------------

struct Branches {
  ParameterSet parameters;
  explicit Branches(int64_t rows_of_q) {
    parameters.shapes = {{"P", 0, {kWidth, kWidth}}, {"Q", 0, {rows_of_q, kWidth}}};
    parameters.leaves.resize(2);
    parameters.units = 1, parameters.unit_names = {"branches"};
  }
  // One of the branches is computed first in forward, so its gradient is ready last.
  at::Tensor loss(const at::Tensor& x, bool p_first) const {
    const auto &P = parameters.leaves[0], &Q = parameters.leaves[1];
    at::Tensor p, q;
    if (p_first) p = layer(x, P).sum();
    q = layer(x, Q).pow(2).sum();
    if (!p_first) p = layer(x, P).sum();
    return p + q;
  }
};

// The difference from the right gradient of P and Q, over its length. All ranks have the same rows.
double gradient_off(const Branches& net, const at::Tensor& x, int ranks) {
  Branches right = net;
  for (at::Tensor& W : right.parameters.leaves) W = W.detach().clone().set_requires_grad(true);
  run_backward(right.loss(x, true));
  double off = 0, length = 0;
  for (size_t p = 0; p < 2; ++p) {
    const at::Tensor wanted = right.parameters.leaves[p].grad();
    off += (net.parameters.leaves[p].grad() / ranks - wanted).pow(2).sum().item<double>();
    length += wanted.pow(2).sum().item<double>();
  }
  return std::sqrt(off / length);
}

void backward_as_ready(World& world, Branches& net, const at::Tensor& x, bool p_first) {
  std::vector<WorkPtr> works;
  std::vector<GradientHook> hooks;
  for (size_t p = 0; p < 2; ++p) {
    at::Tensor& W = net.parameters.leaves[p];
    W = leaf(p == 0 ? "P" : "Q", net.parameters.shapes[p].shape[0]);
    hooks.emplace_back(W, [&works, &world, W, name = net.parameters.shapes[p].name] {
      works.push_back(world.group("dp").all_reduce(view_of(W.grad()), {"gradients", name}));
    });
  }
  run_backward(net.loss(x, p_first));
  wait_all(works);
}

void backward_in_buckets(World& world, Branches& net, const at::Tensor& x, bool p_first) {
  Strategy& strategy = data_parallel(world, net.parameters, kSgd, kWidth * kWidth);
  strategy.load([&](size_t p, const at::Tensor& out) { out.copy_(leaf(p == 0 ? "P" : "Q", out.size(0))); });
  strategy.begin_step(0);
  strategy.begin_micro_batch(true);
  run_backward(net.loss(x, p_first));
  strategy.end_micro_batch();
}

void run_order(Sections& sections, const char* way, int ranks) {
  OrderRow row{way, NAN, ""};
  const int64_t rows_of_q = way == std::string_view(kAsReadySizes) ? kWidth / 2 : kWidth;
  try {
    sections.run(
        way, ranks,
        [&](World& world) {
          auto& net = world.make<Branches>(rows_of_q);
          const at::Tensor x = drawn("rows", {kBatch, kWidth});
          const bool p_first = world.rank() != 1, in_buckets = way == std::string_view(kFixed);
          (in_buckets ? backward_in_buckets : backward_as_ready)(world, net, x, p_first);
          if (world.rank() == 0) row.off = gradient_off(net, x, ranks);
        },
        [&](RankRows& rows) {
          if (way == std::string_view(kFixed)) rows.broadcast("initial", 2 * 4 * kWidth * kWidth);
          rows.all_reduce("gradients", 2, kWidth * kWidth, Dtype::kFloat32);
        });
  } catch (const CollectiveError& error) {
    const std::string text = error.what();
    row.error = text.substr(0, text.find('\n'));
    sections.broke(way);
  }
  sections.record(way, row);
}

}  // namespace

void run_hooks(const Config& config, Sections& sections) {
  const int ranks = int(config.integer("ranks"));
  sections.run(kHooks, ranks, record_hooks, [](RankRows& rows) {
    const int64_t elements = kWidth * kWidth, parameters = std::ssize(kDeclared);
    rows.broadcast("initial", 4 * parameters * elements);
    rows.traffic("start", Op::kBarrier);
    rows.all_reduce("gradients", parameters, elements, Dtype::kFloat32);
  });
  for (const char* way : {kFixed, kAsReady, kAsReadySizes}) run_order(sections, way, ranks);
}

void run(const Config& config, const RunContext& context) {
  const KeepThreadCounts thread_counts;
  Sections sections(context, 17);
  run_ways(config, sections);
  run_hooks(config, sections);
  run_remote(config, sections);
}

}  // namespace ringside::lessons::autograd
