// Drawn numbers as tensors, and tensors as numbers.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "ringside/base/random.h"

namespace ringside::inline kit {

// Normal, of mean 0 and variance 1, from the stream (seed, purpose, index): the same on every machine.
inline at::Tensor normal_numbers(at::IntArrayRef shape, uint64_t seed, std::string_view purpose,
                                 at::ScalarType type = at::kFloat, uint64_t index = 0) {
  const at::Tensor values = at::empty(shape, at::kDouble);
  RandomStream stream(seed, purpose, index);
  std::generate_n(values.data_ptr<double>(), values.numel(), [&] { return stream.normal(); });
  return values.to(type);
}

// In the order of its elements.
inline std::vector<double> numbers_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

}  // namespace ringside::inline kit
