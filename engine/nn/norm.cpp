#include "ringside/nn/norm.h"

#include <torch/csrc/autograd/custom_function.h>

#include "ringside/base/check.h"

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

at::Tensor widened(const at::Tensor& t) { return t.scalar_type() == at::kDouble ? t : t.to(at::kFloat); }

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor x32 = x.to(at::kFloat);
  const at::Tensor scale = at::rsqrt(x32.pow(2).mean(-1, /*keepdim=*/true) + eps);
  return weight * (x32 * scale).to(x.scalar_type());
}

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps) {
  return LayerNorm::apply(x, weight, bias, eps);
}

at::Tensor output_of(const NormLayer& layer, const ParameterSet& set, const at::Tensor& x) {
  switch (layer.kind) {
    case NormKind::kRms:
      return rms_norm(x, set[layer.weight], layer.eps);
    case NormKind::kLayer:
      return layer_norm(x, set[layer.weight], set[layer.bias], layer.eps);
  }
  RINGSIDE_CHECK(false, "a norm of no known kind");
}

}  // namespace ringside
