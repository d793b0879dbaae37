#include "ringside/nn/parameters.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/random.h"

namespace ringside {
namespace {

constexpr double kDeviation = 0.02;  // of initial matrices: Qwen2's initializer_range

}  // namespace

ParameterSet ParameterSet::of(const Declaration& model) {
  const auto units = static_cast<int>(model.unit_names().size());
  return {model.shapes(), std::vector<at::Tensor>(model.shapes().size()), units, model.unit_names()};
}

const at::Tensor& ParameterSet::operator[](Parameter parameter) const {
  static const at::Tensor none;
  return parameter.index < 0 ? none : leaves[static_cast<size_t>(parameter.index)];
}

const at::Tensor& ParameterSet::operator[](const std::string& name) const {
  const auto found = std::find_if(shapes.begin(), shapes.end(),
                                  [&](const ParameterShape& shape) { return shape.name == name; });
  RINGSIDE_CHECK(found != shapes.end(), "no parameter " << name);
  return leaves[static_cast<size_t>(found - shapes.begin())];
}

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
