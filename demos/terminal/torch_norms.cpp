#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "norm_passes.h"
#include "ringside/nn/norm.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

struct TorchInputs {
  at::Tensor x, dy, weight, bias;
};

NormPasses torchs_layer_norm(const TorchInputs& in) {
  const int64_t width = in.x.size(1);
  const auto [y, mean, scale] = at::native_layer_norm(in.x, {width}, in.weight, in.bias, kNormEps);
  return {[=] {
            const at::NoGradGuard no_grad;
            at::native_layer_norm(in.x, {width}, in.weight, in.bias, kNormEps);
          },
          [=, mean = mean, scale = scale] {
            const at::NoGradGuard no_grad;
            at::native_layer_norm_backward(in.dy, in.x, {width}, mean, scale, in.weight, in.bias,
                                           {true, true, true});
          }};
}

NormPasses torchs_rms_norm(const TorchInputs& in) {
  const auto leaf = [](const at::Tensor& t) { return t.detach().set_requires_grad(true); };
  const at::Tensor x = leaf(in.x), weight = leaf(in.weight), y = rms_norm(x, weight, kNormEps);
  return {[=] { rms_norm(x, weight, kNormEps); },
          [=] {
            y.backward(in.dy, /*retain_graph=*/true);
            for (const at::Tensor& t : {x, weight}) t.mutable_grad().reset();
          }};
}

}  // namespace

NormPasses torchs_norm(const std::string& norm, int64_t rows, int64_t width) {
  use_one_thread();
  const TorchInputs in = {at::randn({rows, width}), at::randn({rows, width}), at::rand({width}) + 0.5,
                          at::randn({width})};
  return norm == "layer" ? torchs_layer_norm(in) : torchs_rms_norm(in);
}

std::shared_ptr<float> torchs_output(int64_t count) {
  const at::Tensor output = at::empty({count});
  return {output.data_ptr<float>(), [output](float*) {}};
}

}  // namespace ringside
