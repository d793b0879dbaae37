#include "ringside/nn/recompute.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace ringside::inline nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct KeptForward : torch::CustomClassHolder {
  explicit KeptForward(LayerForward forward) : f(std::move(forward)) {}
  LayerForward f;
};

struct Recomputed : torch::autograd::Function<Recomputed> {
  // anchor: of no element, and requires a gradient. It puts this node into the graph where x does not.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& anchor,
                            const c10::intrusive_ptr<KeptForward>& layer) {
    context->save_for_backward({x});
    context->saved_data["wants dx"] = x.requires_grad();
    context->saved_data["layer"] = at::IValue::make_capsule(layer);
    return layer->f(x, /*again=*/false);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    at::Tensor x = context->get_saved_variables()[0].detach();
    x.set_requires_grad(context->saved_data["wants dx"].toBool());
    const auto layer = context->saved_data["layer"].toCapsule();
    at::Tensor y;
    {
      const at::AutoGradMode with_graph(true);
      y = static_cast<KeptForward&>(*layer).f(x, /*again=*/true);
    }
    torch::autograd::backward({y}, {gradients[0]});
    return {std::exchange(x.mutable_grad(), {}), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor forward_of_recomputed(const at::Tensor& x, LayerForward f) {
  if (!at::GradMode::is_enabled()) return f(x, false);
  const at::Tensor anchor = at::empty({0}, x.options()).set_requires_grad(true);
  return Recomputed::apply(x, anchor, c10::make_intrusive<KeptForward>(std::move(f)));
}

}  // namespace ringside::inline nn
