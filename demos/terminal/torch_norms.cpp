#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "norm_passes.h"
#include "own_norm_passes.h"
#include "ringside/nn/norm.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

struct NormInputs {
  at::Tensor x, dy, weight, bias;
};

void run_own(const std::string& norm, const NormInputs& in) {
  const int64_t rows = in.x.size(0), width = in.x.size(1);
  const at::Tensor y = at::empty_like(in.x), dx = at::empty_like(in.x), dw = at::empty_like(in.weight),
                   db = at::empty_like(in.bias), mean = at::empty({rows}, at::kDouble),
                   scale = at::empty_like(mean);
  run_own_norm(norm, {rows, width},
               {in.x.data_ptr<float>(), in.weight.data_ptr<float>(), in.bias.data_ptr<float>(),
                in.dy.data_ptr<float>(), y.data_ptr<float>(), dx.data_ptr<float>(), dw.data_ptr<float>(),
                db.data_ptr<float>(), mean.data_ptr<double>(), scale.data_ptr<double>()});
}

void run_torchs_layer_norm(const NormInputs& in) {
  const at::NoGradGuard no_grad;
  const int64_t width = in.x.size(1);
  const auto [y, mean, scale] = at::native_layer_norm(in.x, {width}, in.weight, in.bias, 1e-5);
  at::native_layer_norm_backward(in.dy, in.x, {width}, mean, scale, in.weight, in.bias, {true, true, true});
}

void run_torchs_rms_norm(const NormInputs& in) {
  const auto leaf = [](const at::Tensor& t) { return t.detach().set_requires_grad(true); };
  const at::Tensor x = leaf(in.x), weight = leaf(in.weight);
  rms_norm(x, weight, 1e-5).backward(in.dy);
}

}  // namespace

NormPasses norm_passes(const std::string& norm, int64_t rows, int64_t width, int64_t times) {
  use_one_thread();
  keep_freed_memory();  // as the trainer has it: otherwise each pass pays for new pages
  const auto in = std::make_shared<NormInputs>();
  *in = {at::randn({rows, width}), at::randn({rows, width}), at::rand({width}) + 0.5, at::randn({width})};
  return {.own =
              [=] {
                for (int64_t i = 0; i < times; ++i) run_own(norm, *in);
              },
          .torch =
              [=] {
                for (int64_t i = 0; i < times; ++i)
                  norm == "layer" ? run_torchs_layer_norm(*in) : run_torchs_rms_norm(*in);
              }};
}

}  // namespace ringside
