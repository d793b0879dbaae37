#include "memory_passes.h"
#include "norm_passes.h"
#include "ringside/norms/layer_norm.h"
#include "ringside/norms/rms_norm.h"

namespace ringside {
namespace {

// What the passes take in; mean and scale as forward has left them.
struct NormInputs {
  NormInputs(int64_t positions, int64_t width)
      : rows{positions, width},
        x(positions * width, 1),
        dy(positions * width, 1),
        weight(width, 1),
        bias(width, 1),
        mean(size_t(positions)),
        scale(mean) {}
  norms::Rows rows;
  Floats x, dy, weight, bias;
  std::vector<double> mean, scale;
};

void run_forward(const std::string& norm, NormInputs& in) {
  const auto y = pass_output(in.rows.count * in.rows.width);
  if (norm == "layer")
    norms::run(norms::LayerNormForward<float>{in.rows, kNormEps, in.x.data(), in.weight.data(),
                                              in.bias.data(), y.get(), in.mean.data(), in.scale.data()});
  else
    norms::run(norms::RmsNormForward<float>{in.rows, kNormEps, in.x.data(), in.weight.data(), y.get(),
                                            in.scale.data()});
}

void run_backward(const std::string& norm, NormInputs& in) {
  const auto dx = pass_output(in.rows.count * in.rows.width);
  const auto dw = pass_output(in.rows.width), db = pass_output(in.rows.width);
  if (norm == "layer")
    norms::run(norms::LayerNormBackward<float>{in.rows, in.x.data(), in.weight.data(), in.mean.data(),
                                               in.scale.data(), in.dy.data(), dx.get(), dw.get(), db.get()});
  else
    norms::run(norms::RmsNormBackward<float>{in.rows, in.x.data(), in.weight.data(), in.scale.data(),
                                             in.dy.data(), dx.get(), dw.get()});
}

}  // namespace

NormPasses own_norm(const std::string& norm, int64_t rows, int64_t width) {
  const auto in = std::make_shared<NormInputs>(rows, width);
  run_forward(norm, *in);  // what backward needs of it
  return {[=] { run_forward(norm, *in); }, [=] { run_backward(norm, *in); }};
}

}  // namespace ringside
