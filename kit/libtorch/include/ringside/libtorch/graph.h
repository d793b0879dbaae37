// Autograd's graph behind a tensor, and what its nodes keep for backward.
#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ringside::inline kit {

using GraphNode = decltype(torch::autograd::Edge::function);  // a std::shared_ptr, but not in LibTorch 2.15

// All that backward may run from a result.
struct GraphBehind {
  std::vector<GraphNode> nodes;  // the result's first, each before those that it leads to for the first time
  std::vector<std::pair<size_t, size_t>> edges;  // from node to node, towards the leaves
};
GraphBehind graph_behind(const at::Tensor& result);
at::Tensor leaf_of(const GraphNode& node);  // of an AccumulateGrad node; undefined of another one

// The nodes from a result back to the leaf, where each has one input that requires a gradient. InvariantError
// where one has more.
std::vector<GraphNode> chain_behind(const at::Tensor& result);

struct SavedTensor {
  std::string name;  // as autograd calls it: "result", "self"
  at::Tensor value;
};
// InvariantError naming the node where this tree does not know what it keeps: an empty answer would be a lie.
std::vector<SavedTensor> saved_by(const GraphNode& node);

}  // namespace ringside::inline kit
