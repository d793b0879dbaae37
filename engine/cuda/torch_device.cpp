// The GPU that LibTorch computes on. device/kernels.cpp loads this library at the first device=cuda.
#include <ATen/ATen.h>
#include <c10/core/AutogradState.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "ringside/base/error.h"
#include "ringside/kernels/device.h"
#include "ringside/kernels/on_device.h"

namespace ringside::inline device {
namespace {

using c10::cuda::CUDAStream;
namespace allocator = c10::cuda::CUDACachingAllocator;

thread_local void* stream_of_rank = nullptr;
thread_local std::pair<const void*, int64_t> last_asked;  // block, bytes

// A rank has the same stream in every training: the allocator's blocks and cuBLAS's work space go by stream.
CUDAStream stream_for(int rank) {
  static std::mutex mutex;
  static std::map<int, CUDAStream> streams;
  const std::lock_guard lock(mutex);
  const auto found = streams.find(rank);
  return found != streams.end() ? found->second
                                : streams.emplace(rank, c10::cuda::getStreamFromPool()).first->second;
}

// LibTorch would run all ranks' backward passes on one thread: a hook that waits for a rank would not end.
class OnRank {
 public:
  explicit OnRank(int rank)
      : stream_(stream_for(rank)), guard_(stream_), before_(state().get_multithreading_enabled()) {
    state().set_multithreading_enabled(false);
    stream_of_rank = stream_.stream();
  }
  ~OnRank() {
    stream_of_rank = nullptr;
    state().set_multithreading_enabled(before_);
  }
  OnRank& operator=(OnRank&&) = delete;

 private:
  static c10::AutogradState& state() { return c10::AutogradState::get_tls_state(); }
  const CUDAStream stream_;
  const c10::cuda::CUDAStreamGuard guard_;
  const bool before_;
};

class TorchDevice final : public kernels::OnDevice {
 public:
  bool stands_in() const override { return false; }
  std::shared_ptr<void> on_rank(int rank) const override { return std::make_shared<OnRank>(rank); }
  // The allocator calls its tracker just before it reports the block to the memory hook.
  int64_t asked_for(const void* memory, int64_t bytes) const override {
    return last_asked.first == memory ? last_asked.second : bytes;
  }

 protected:
  void* stream() const override { return stream_of_rank; }
};

void remember(const allocator::TraceEntry& entry) {
  if (entry.action_ == allocator::TraceEntry::ALLOC)
    last_asked = {reinterpret_cast<const void*>(entry.addr_), int64_t(entry.size_)};
}

}  // namespace
}  // namespace ringside::inline device

extern "C" const ringside::DeviceKernels* ringside_cuda_kernels() {
  using namespace ringside;
  if (!kernels::has_device()) throw MissingError("device=cuda: there is no NVIDIA GPU here, or no driver");
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);  // sums in one order, whatever the stream
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowBF16ReductionCuBLAS(false);  // bf16 products are rounded once
  at::empty({1}, at::kCUDA);                               // LibTorch starts its side
  allocator::attachAllocatorTraceTracker(remember);
  static const TorchDevice device;
  return &device;
}
