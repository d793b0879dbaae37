#include "ringside/tensor/where.h"

#include <ATen/Context.h>

#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

bool stands_in() { return device_memory() != nullptr && device_kernels().stands_in(); }

// Made by the first product, and kept as long as the process runs.
void make_work_space_of_products() {
  const MemoryScope scope(Category::kOther, "", "cuBLAS work space");
  const at::Tensor x = at::ones({8, 8}, at::TensorOptions(at::kCUDA).dtype(at::kFloat)), bias = x[0];
  at::linear(x, x, bias);
  at::matmul(x.view({2, 4, 8}), x.view({2, 8, 4}));
}

}  // namespace

at::Device torch_device(Device device) {
  return device == Device::kCuda && !stands_in() ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
}

Device view_device(const at::Tensor& tensor) {
  return tensor.is_cuda() || stands_in() ? Device::kCuda : Device::kCpu;
}

void add_squares(ExactSquareSum& sum, const at::Tensor& values) {
  const ConstView view{values.data_ptr(), values.numel(), dtype_of(values), view_device(values)};
  if (view.device == Device::kCpu)
    sum.add(view.data, view.count, view.dtype);
  else
    device_kernels().add_squares(sum.limbs(), view);
}

at::Tensor on_host(const at::Tensor& tensor) { return tensor.cpu(); }

RankOnDevice::RankOnDevice(Device device, int rank) {
  if (device == Device::kCpu) return;
  held_ = device_kernels().on_rank(rank);
  if (torch_device(device).is_cuda()) make_work_space_of_products();
}

}  // namespace ringside
