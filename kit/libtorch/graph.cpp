#include "ringside/libtorch/graph.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include "ringside/base/error.h"

namespace ringside::inline kit {
namespace {

using namespace torch::autograd::generated;

}  // namespace

std::vector<GraphNode> chain_behind(const at::Tensor& result) {
  std::vector<GraphNode> chain;
  for (GraphNode node = result.grad_fn(); node != nullptr;) {
    chain.push_back(node);
    GraphNode next;
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      if (!edge.is_valid()) continue;
      if (next != nullptr) throw InvariantError(node->name() + " has two inputs that require a gradient");
      next = edge.function;
    }
    node = next;
  }
  return chain;
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
