// An update's loop is compiled once for fp32 gradients and once for bf16.
#pragma once

#include <cstdint>

#include "ringside/base/bfloat16.h"
#include "ringside/optim/declaration.h"

namespace ringside {

struct FloatGradient {
  const float* data;
  float operator[](int64_t i) const { return data[i]; }
};
struct BFloat16Gradient {
  const uint16_t* data;
  float operator[](int64_t i) const { return bf16_to_float(data[i]); }
};

// Calls body(gradient) with the gradient as its own type; gradient[i] is a float.
template <typename Body>
void with_gradient(const Elements& elements, Body&& body) {
  if (elements.gradient_dtype == Dtype::kFloat32)
    body(FloatGradient{static_cast<const float*>(elements.gradient)});
  else
    body(BFloat16Gradient{static_cast<const uint16_t*>(elements.gradient)});
}

}  // namespace ringside
