// What the optimizers' loops share: reading a gradient element in its own type,
// and refreshing the bf16 copy of the weights. Private to this layer.
#pragma once

#include <cstdint>

#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"
#include "ringside/optim/optimizer.h"

namespace ringside {

struct FloatGradient {
  const float* data;
  float operator[](int64_t i) const { return data[i]; }
};
struct BFloat16Gradient {
  const uint16_t* data;
  float operator[](int64_t i) const { return bf16_to_float(data[i]); }
};

// Calls body(gradient) with the gradient as its own type, then refreshes the bf16 copy.
template <typename Body>
void over_stretch(const Stretch& stretch, Body&& body) {
  if (stretch.gradient_dtype == Dtype::kFloat32) {
    body(FloatGradient{static_cast<const float*>(stretch.gradient)});
  } else {
    RINGSIDE_CHECK(stretch.gradient_dtype == Dtype::kBFloat16, "gradients are fp32 or bf16");
    body(BFloat16Gradient{static_cast<const uint16_t*>(stretch.gradient)});
  }
  if (stretch.rounded == nullptr) return;
  for (int64_t i = 0; i < stretch.count; ++i) stretch.rounded[i] = float_to_bf16(stretch.weights[i]);
}

}  // namespace ringside
