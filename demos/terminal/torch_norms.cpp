#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "norm_passes.h"
#include "own_norm_passes.h"
#include "ringside/nn/norm.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

constexpr double kEps = 1e-5;

// What a pass takes in; mean and scale as each side's forward has left them.
struct NormInputs {
  at::Tensor x, dy, weight, bias, mean, scale, torchs_mean, torchs_scale;
};

NormBuffers buffers_of(const NormInputs& in) {
  return {in.x.data_ptr<float>(),
          in.weight.data_ptr<float>(),
          in.bias.data_ptr<float>(),
          in.dy.data_ptr<float>(),
          nullptr,
          nullptr,
          nullptr,
          nullptr,
          in.mean.data_ptr<double>(),
          in.scale.data_ptr<double>()};
}

norms::Rows rows_of(const NormInputs& in) { return {in.x.size(0), in.x.size(1)}; }

void own_forward(const std::string& norm, const NormInputs& in) {
  const at::Tensor y = at::empty_like(in.x);
  NormBuffers of = buffers_of(in);
  of.y = y.data_ptr<float>();
  run_own_forward(norm, rows_of(in), of);
}

void own_backward(const std::string& norm, const NormInputs& in) {
  const at::Tensor dx = at::empty_like(in.x), dw = at::empty_like(in.weight), db = at::empty_like(in.bias);
  NormBuffers of = buffers_of(in);
  of.dx = dx.data_ptr<float>(), of.dw = dw.data_ptr<float>(), of.db = db.data_ptr<float>();
  run_own_backward(norm, rows_of(in), of);
}

NormPasses torchs_layer_norm(const std::shared_ptr<NormInputs>& in) {
  const int64_t width = in->x.size(1);
  return {[=] {
            const at::NoGradGuard no_grad;
            at::native_layer_norm(in->x, {width}, in->weight, in->bias, kEps);
          },
          [=] {
            const at::NoGradGuard no_grad;
            at::native_layer_norm_backward(in->dy, in->x, {width}, in->torchs_mean, in->torchs_scale,
                                           in->weight, in->bias, {true, true, true});
          }};
}

NormPasses torchs_rms_norm(const std::shared_ptr<NormInputs>& in) {
  const auto leaf = [](const at::Tensor& t) { return t.detach().set_requires_grad(true); };
  const at::Tensor x = leaf(in->x), weight = leaf(in->weight), y = rms_norm(x, weight, kEps);
  return {[=] { rms_norm(x, weight, kEps); },
          [=] {
            y.backward(in->dy, /*retain_graph=*/true);
            for (const at::Tensor& t : {x, weight}) t.mutable_grad().reset();
          }};
}

NormPasses several(const NormPasses& passes, int64_t times) {
  const auto of = [=](const std::function<void()>& pass) {
    return [=] {
      for (int64_t i = 0; i < times; ++i) pass();
    };
  };
  return {of(passes.forward), of(passes.backward)};
}

}  // namespace

NormSides norm_sides(const std::string& norm, int64_t rows, int64_t width, int64_t times) {
  use_one_thread();
  const auto in = std::make_shared<NormInputs>();
  in->x = at::randn({rows, width}), in->dy = at::randn({rows, width});
  in->weight = at::rand({width}) + 0.5, in->bias = at::randn({width});
  in->mean = at::empty({rows}, at::kDouble), in->scale = at::empty({rows}, at::kDouble);
  own_forward(norm, *in);
  std::tie(std::ignore, in->torchs_mean, in->torchs_scale) =
      at::native_layer_norm(in->x, {width}, in->weight, in->bias, kEps);
  const NormPasses own = {[=] { own_forward(norm, *in); }, [=] { own_backward(norm, *in); }};
  return {several(own, times), several(norm == "layer" ? torchs_layer_norm(in) : torchs_rms_norm(in), times)};
}

}  // namespace ringside
