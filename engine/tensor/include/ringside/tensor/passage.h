// A node of autograd's graph of which both directions are said: y = forward(x), dx = backward(dy). Autograd
// calls them without a graph of their own, so there is no second derivative through such a node.
#pragma once

#include <ATen/ATen.h>

#include <functional>

namespace ringside::inline tensor {

using TensorFunction = std::function<at::Tensor(const at::Tensor&)>;

// A node of its own, whatever x is; without a gradient of x, forward(x) alone. dy is never undefined.
at::Tensor passage(const at::Tensor& x, TensorFunction forward, TensorFunction backward);

}  // namespace ringside::inline tensor
