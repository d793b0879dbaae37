#include "ringside/nn/norm.h"

#include <ATen/Dispatch.h>

#include "graph_node.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/nn/batch_norm.h"
#include "ringside/nn/set_norm.h"
#include "ringside/norms/rms_norm.h"
#include "ringside/tensor/where.h"

namespace ringside::inline nn {
namespace {

norms::Rows rows_of(const at::Tensor& x) {
  const int64_t width = x.size(-1);
  return {width == 0 ? 0 : x.numel() / width, width};
}

at::Tensor a_number_a_row(const at::Tensor& x) {
  return at::empty({rows_of(x).count}, x.options().dtype(at::kDouble));
}

// Where x is: the loops of norms/, or the kernels with their bits, which know fp32. What is rounded to bf16
// afterwards is computed in fp32.
template <typename Call>
void run_on(const at::Tensor& x, const at::Tensor& weight, Call call) {
  call.in_real = x.scalar_type() == at::kBFloat16 && weight.scalar_type() == at::kBFloat16;
  if (view_device(x) == Device::kCpu) return norms::run(call);
  if constexpr (requires(const DeviceKernels& kernels) { kernels.run(call); })
    device_kernels().run(call);
  else
    throw UsageError("norms of fp64 have no kernel for device=cuda");
}

// RMS norm is layer norm without means and biases, as in norms/row_norm.h.
template <bool kCentred>
struct RowNorm : torch::autograd::Function<RowNorm<kCentred>> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            at::TensorList bias, double eps) {
    const at::Tensor none, wide = plain(x), w = plain(weight), b = kCentred ? plain(bias[0]) : none;
    const at::Tensor y = at::empty_like(wide), mean = kCentred ? a_number_a_row(x) : none,
                     scale = a_number_a_row(x);
    AT_DISPATCH_FLOATING_TYPES(wide.scalar_type(), "norm of rows", [&] {
      const auto values = [](const at::Tensor& t) { return t.data_ptr<scalar_t>(); };
      auto* const of_scale = scale.data_ptr<double>();
      if constexpr (kCentred)
        run_on(x, weight,
               norms::LayerNormForward<scalar_t>{rows_of(x), eps, values(wide), values(w), values(b),
                                                 values(y), mean.data_ptr<double>(), of_scale});
      else
        run_on(
            x, weight,
            norms::RmsNormForward<scalar_t>{rows_of(x), eps, values(wide), values(w), values(y), of_scale});
    });
    context->save_for_backward({x, weight, mean, scale});
    return y.to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &scale = saved[3];
    const at::Tensor wide = plain(x), w = plain(weight), dy = plain(gradients[0]);
    const at::Tensor dx = at::empty_like(wide), dw = at::empty_like(w);
    const at::Tensor db = kCentred ? at::empty_like(w) : at::Tensor();
    AT_DISPATCH_FLOATING_TYPES(wide.scalar_type(), "norm of rows", [&] {
      const auto values = [](const at::Tensor& t) { return t.data_ptr<scalar_t>(); };
      auto* const of_scale = scale.data_ptr<double>();
      if constexpr (kCentred)
        run_on(
            x, weight,
            norms::LayerNormBackward<scalar_t>{rows_of(x), values(wide), values(w), mean.data_ptr<double>(),
                                               of_scale, values(dy), values(dx), values(dw), values(db)});
      else
        run_on(x, weight,
               norms::RmsNormBackward<scalar_t>{rows_of(x), values(wide), values(w), of_scale, values(dy),
                                                values(dx), values(dw)});
    });
    variable_list result = {dx.to(x.scalar_type()), dw.to(weight.scalar_type())};
    if (kCentred) result.push_back(db.to(weight.scalar_type()));
    result.emplace_back();  // eps
    return result;
  }
};

}  // namespace

at::Tensor widened(const at::Tensor& t) { return t.scalar_type() == at::kDouble ? t : t.to(at::kFloat); }

at::Tensor plain(const at::Tensor& t) { return widened(t).contiguous(); }

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor x32 = x.to(at::kFloat);
  // The mean as a sum over H, which has the same bits: LibTorch 1.13 keeps what a mean is taken of.
  const at::Tensor mean_square = x32.pow(2).sum(-1, /*keepdim=*/true) / double(x.size(-1));
  const at::Tensor scale = at::rsqrt(mean_square + eps);
  return weight * (x32 * scale).to(x.scalar_type());
}

at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  return RowNorm<false>::apply(x, weight, at::TensorList(), eps);
}

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps) {
  return RowNorm<true>::apply(x, weight, at::TensorList(bias), eps);
}

at::Tensor output_of(const NormLayer& layer, const Leaves& leaves, const Buffers& buffers,
                     const at::Tensor& x, const Context& context) {
  const at::Tensor weight = leaves(layer.weight), bias = leaves(layer.bias);
  switch (layer.kind) {
    case NormKind::kRms:
      return layer.fused ? fused_rms_norm(x, weight, layer.eps) : rms_norm(x, weight, layer.eps);
    case NormKind::kLayer: return layer_norm(x, weight, bias, layer.eps);
    case NormKind::kBatch:
    case NormKind::kSyncBatch: return output_of(layer.batch, leaves, buffers, x, context);
    case NormKind::kGroup:
    case NormKind::kInstance:
      return group_norm(x, weight, bias, x.size(-1) / layer.fold, layer.eps, context.token_mask);
  }
  RINGSIDE_CHECK(false, "a norm of no known kind");
}

}  // namespace ringside::inline nn
