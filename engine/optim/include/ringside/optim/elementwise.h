// What the optimizers' loops share: reading a gradient element in its own type,
// and rounding a weight to bfloat16 (to nearest, ties to even). Private to this layer.
#pragma once

#include <bit>
#include <cstdint>

#include "ringside/base/check.h"
#include "ringside/optim/optimizer.h"

namespace ringside {

inline float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t float_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const bool is_nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return static_cast<uint16_t>(is_nan ? (bits >> 16) | 0x40u : rounded);
}

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
