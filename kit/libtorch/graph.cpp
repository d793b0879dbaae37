#include "ringside/libtorch/graph.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include <functional>
#include <map>

#include "ringside/base/error.h"

namespace ringside::inline kit {
namespace {

using namespace torch::autograd::generated;

}  // namespace

GraphBehind graph_behind(const at::Tensor& result) {
  GraphBehind graph;
  std::map<const torch::autograd::Node*, size_t> places;
  const std::function<size_t(const GraphNode&)> visit = [&](const GraphNode& node) {
    const auto [at, is_new] = places.try_emplace(node.get(), graph.nodes.size());
    const size_t place = at->second;
    if (!is_new) return place;
    graph.nodes.push_back(node);
    for (const torch::autograd::Edge& edge : node->next_edges())
      if (edge.is_valid()) graph.edges.push_back({place, visit(edge.function)});
    return place;
  };
  if (result.grad_fn() != nullptr) visit(result.grad_fn());
  return graph;
}

at::Tensor leaf_of(const GraphNode& node) {
  const auto* const of = dynamic_cast<const torch::autograd::AccumulateGrad*>(node.get());
  return of == nullptr ? at::Tensor() : of->variable;
}

std::vector<GraphNode> chain_behind(const at::Tensor& result) {
  const GraphBehind graph = graph_behind(result);
  std::vector<size_t> inputs(graph.nodes.size());
  for (const auto& [from, to] : graph.edges)
    if (++inputs[from] > 1)
      throw InvariantError(graph.nodes[from]->name() + " has two inputs that require a gradient");
  return graph.nodes;
}

// Members of these structs are generated from LibTorch's derivatives.yaml; they have the same names in 1.13
// and 2.6.
std::vector<SavedTensor> saved_by(const GraphNode& node) {
  if (const auto* of = dynamic_cast<SoftmaxBackward0*>(node.get()))
    return {{"result", of->result_.unpack(node)}};
  if (const auto* of = dynamic_cast<LogSoftmaxBackward0*>(node.get()))
    return {{"result", of->result_.unpack(node)}};
  if (const auto* of = dynamic_cast<LogBackward0*>(node.get())) return {{"self", of->self_.unpack()}};
  if (const auto* of = dynamic_cast<NllLossBackward0*>(node.get()))
    return {{"self", of->self_.unpack()},
            {"target", of->target_.unpack()},
            {"total_weight", of->total_weight_.unpack(node)}};  // weight is never given here
  if (dynamic_cast<ToCopyBackward0*>(node.get()) != nullptr)
    return {};  // of x, the type and the device alone
  if (dynamic_cast<torch::autograd::AccumulateGrad*>(node.get()) != nullptr) return {};
  throw InvariantError("what " + node->name() + " keeps for backward is not known here");
}

}  // namespace ringside::inline kit
