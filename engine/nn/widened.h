// Norms compute in fp32 at least, whatever the model's type.
#pragma once

#include <ATen/ATen.h>

namespace ringside {

inline at::Tensor widened(const at::Tensor& t) {
  return t.scalar_type() == at::kDouble ? t : t.to(at::kFloat);
}

}  // namespace ringside
