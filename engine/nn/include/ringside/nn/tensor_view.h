// A tensor as the process groups see it.
#pragma once

#include <ATen/ATen.h>

#include "ringside/base/check.h"
#include "ringside/comm/process_group.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/tensor/where.h"

namespace ringside::inline nn {

inline MutableView view_of(const at::Tensor& tensor) {  // contiguous, or InvariantError
  RINGSIDE_CHECK(tensor.is_contiguous(), "collectives take contiguous tensors");
  return {tensor.data_ptr(), tensor.numel(), dtype_of(tensor), view_device(tensor)};
}

}  // namespace ringside::inline nn
