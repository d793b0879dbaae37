#include "ringside/nn/norm.h"

#include "ringside/base/check.h"
#include "ringside/nn/layer_norm.h"

namespace ringside {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor x32 = x.to(at::kFloat);
  const at::Tensor scale = at::rsqrt(x32.pow(2).mean(-1, /*keepdim=*/true) + eps);
  return weight * (x32 * scale).to(x.scalar_type());
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
