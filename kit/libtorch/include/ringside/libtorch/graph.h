// Autograd's graph behind a tensor, and what its nodes keep for backward.
#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <string>
#include <vector>

namespace ringside::inline kit {

using GraphNode = std::shared_ptr<torch::autograd::Node>;

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
