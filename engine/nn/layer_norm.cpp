#include "ringside/nn/layer_norm.h"

#include <torch/csrc/autograd/custom_function.h>

#include "widened.h"

namespace ringside {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor sum_rows(const at::Tensor& t) { return t.reshape({-1, t.size(-1)}).sum(0); }  // (..., H) -> (H)

// A node of its own keeps x and two numbers a position; what autograd would record keeps three times x.
struct LayerNorm : torch::autograd::Function<LayerNorm> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, double eps) {
    const at::Tensor wide = widened(x);
    const at::Tensor mean = wide.mean(-1, /*keepdim=*/true);
    const at::Tensor centred = wide - mean;
    const at::Tensor scale = at::rsqrt(centred.pow(2).mean(-1, /*keepdim=*/true) + eps);
    context->save_for_backward({x, weight, mean, scale});
    return (centred * scale * widened(weight) + widened(bias)).to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &scale = saved[3];
    const at::Tensor dy = widened(gradients[0]);
    const at::Tensor u = (widened(x) - mean) * scale;
    const at::Tensor g = dy * widened(weight);
    const at::Tensor dx = (g - g.mean(-1, true) - u * (g * u).mean(-1, true)) * scale;
    return {dx.to(x.scalar_type()), sum_rows(dy * u).to(weight.scalar_type()),
            sum_rows(dy).to(weight.scalar_type()), at::Tensor()};
  }
};

}  // namespace

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps) {
  return LayerNorm::apply(x, weight, bias, eps);
}

}  // namespace ringside
