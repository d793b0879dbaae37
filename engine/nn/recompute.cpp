#include "ringside/nn/recompute.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <utility>

#include "graph_node.h"

namespace ringside::inline nn {
namespace {

struct Recomputed : torch::autograd::Function<Recomputed> {
  // anchor: of no element, and requires a gradient. It puts this node into the graph where x does not.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& anchor,
                            const LayerForward& f) {
    context->save_for_backward({x});
    context->saved_data["wants dx"] = x.requires_grad();
    keep(context, f);
    return f(x, /*again=*/false);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    at::Tensor x = context->get_saved_variables()[0].detach();
    x.set_requires_grad(context->saved_data["wants dx"].toBool());
    at::Tensor y;
    {
      const at::AutoGradMode with_graph(true);
      y = kept<LayerForward>(context)(x, /*again=*/true);
    }
    torch::autograd::backward({y}, {gradients[0]});
    return {std::exchange(x.mutable_grad(), {}), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor forward_of_recomputed(const at::Tensor& x, const LayerForward& f) {
  if (!at::GradMode::is_enabled()) return f(x, false);
  const at::Tensor anchor = at::empty({0}, x.options()).set_requires_grad(true);
  return Recomputed::apply(x, anchor, f);
}

}  // namespace ringside::inline nn
