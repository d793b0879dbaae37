// The rounding that every layer uses against LibTorch's.
#include <ATen/ATen.h>

#include <cmath>

#include "catch.h"
#include "ringside/base/bfloat16.h"

using namespace ringside;

TEST_CASE("rounding to bf16 is LibTorch's, bit by bit") {
  std::vector<float> values;
  for (uint32_t high = 0; high < 0x10000; ++high) {
    for (const uint32_t low : {0x0u, 0x1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      values.push_back(std::bit_cast<float>(high << 16 | low));
    }
  }
  const at::Tensor rounded = at::tensor(at::ArrayRef<float>(values), at::kFloat).to(at::kBFloat16);
  const auto* bits = static_cast<const uint16_t*>(rounded.data_ptr());
  int64_t wrong = 0, wrong_in_tensors = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t own = float_to_bf16(values[i]);
    if (own != c10::BFloat16(values[i]).x) ++wrong;
    // A whole tensor is converted by vector code, whose NaN depends on the CPU.
    const bool same = std::isnan(values[i]) ? std::isnan(bf16_to_float(bits[i])) : own == bits[i];
    if (!same) ++wrong_in_tensors;
  }
  CHECK(wrong == 0);
  CHECK(wrong_in_tensors == 0);
}
