// Activation checkpointing: a layer keeps its input alone in forward; backward runs the layer's forward
// again, then its backward. Chen et al. 2016, arXiv:1604.06174; a layer is a segment, as in
// torch.utils.checkpoint.
//
//   forward    y = f(x), without a graph                         kept: x
//   backward   y = f(x) again, with a graph; dx, dW from dy      kept from here to its end: what f keeps
//
// A step computes each layer's forward twice and its backward once. The two forwards must be the same
// operations on the same values, or gradients belong to another y: a layer with random numbers would have to
// draw the same ones again. Batch norm uses the statistics of its first forward in the second one, so that
// the running ones do not move twice and nothing is sent twice (Context::kept). Gradients of parameters are
// added to their leaves by a backward within the backward, on the same thread, so hooks of leaves are called
// once a parameter and in the order that they have without it. Of a layer that runs forward twice before the
// backward they are called twice: ZeRO-3 waits for both, other stages refuse a gradient that comes after its
// bucket was handed over.
#pragma once

#include <ATen/ATen.h>

#include <functional>

namespace ringside::inline nn {

// A layer's forward. It is called in forward and once more in backward (`again`), and must live until then.
using LayerForward = std::function<at::Tensor(const at::Tensor& x, bool again)>;

// f(x, false), whose backward calls f(x, true). The layer must have a parameter that is trained; x need not
// require a gradient. Without grad mode it is f(x, false) and nothing else.
at::Tensor forward_of_recomputed(const at::Tensor& x, const LayerForward& f);

}  // namespace ringside::inline nn
