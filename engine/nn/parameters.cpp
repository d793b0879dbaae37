#include "ringside/nn/parameters.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/random.h"

namespace ringside {
namespace {

constexpr double kDeviation = 0.02;  // of initial matrices: Qwen2's initializer_range

}  // namespace

void initialize(at::Tensor out, const ParameterShape& shape, uint64_t seed) {
  at::NoGradGuard no_grad;
  const bool is_bias = shape.name.ends_with(".bias");
  if (is_bias || shape.shape.size() == 1) {
    out.fill_(is_bias ? 0.0 : 1.0);
    return;
  }
  RINGSIDE_CHECK(out.is_contiguous(), shape.name);
  RandomStream stream(seed, shape.name);
  std::generate_n(out.data_ptr<float>(), out.numel(),
                  [&] { return static_cast<float>(kDeviation * stream.normal()); });
}

}  // namespace ringside
