#include "ringside/tensor/where.h"

#include <map>
#include <mutex>

#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::inline tensor {
namespace {

bool stands_in() { return device_memory() != nullptr && device_kernels().stands_in(); }

// Made by the first product on the rank's stream, and kept as long as the process runs.
int64_t work_space_of(int rank) {
  static std::mutex mutex;
  static std::map<int, int64_t> bytes;
  const MemoryHook hook(nullptr, at::kCUDA);
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const at::Tensor x = at::ones({8, 8}, at::TensorOptions(at::kCUDA).dtype(type)), bias = x[0];
    at::linear(x, x, bias);
    at::matmul(x.view({2, 4, 8}), x.view({2, 8, 4}));
  }
  const std::lock_guard lock(mutex);
  if (hook.live_total() > 0) bytes[rank] = hook.live_total();
  return bytes[rank];
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
  if (torch_device(device).is_cuda()) work_space_ = work_space_of(rank);
}

}  // namespace ringside::inline tensor
