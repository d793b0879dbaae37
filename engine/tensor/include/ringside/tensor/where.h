// Where tensors are: the host's memory, or a GPU's.
#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "ringside/device/kernels.h"
#include "ringside/optim/exact_square_sum.h"
#include "ringside/trace/trace.h"

namespace ringside::inline tensor {

at::Device torch_device(Device device);        // where tensors of that device are made
Device view_device(const at::Tensor& tensor);  // as its views say
at::Tensor on_host(const at::Tensor& tensor);  // the tensor, or a copy in the host's memory
void add_squares(ExactSquareSum& sum, const at::Tensor& values);  // fp32 or bf16, contiguous

// The calling thread computes for that rank until this goes, which outlives the rank's tensors. On a GPU: a
// stream of its own, and a work space of cuBLAS's for it, which is there before the rank's memory is counted.
class RankOnDevice {
 public:
  RankOnDevice(Device device, int rank);
  int64_t work_space() const { return work_space_; }  // bytes

 private:
  std::shared_ptr<void> held_;
  int64_t work_space_ = 0;
};

}  // namespace ringside::inline tensor
