#include "ringside/nn/tensor_view.h"

#include "ringside/base/check.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {

View view_of(const at::Tensor& tensor) {
  RINGSIDE_CHECK(tensor.is_contiguous(), "collectives take contiguous tensors");
  return {tensor.data_ptr(), tensor.numel(), dtype_of(tensor)};
}

}  // namespace ringside
