// What moved between LibTorch 1.13 and today, and what its public API lacks:
// everything else in the tree uses plain ATen.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside::inline tensor {

at::ScalarType scalar_type(Dtype dtype);
Dtype dtype_of(const at::Tensor& tensor);

// A leaf that is a window of `flat`'s storage: it shares the bytes but not the version counter, so that
// filling the storage from another rank does not look to autograd like an in-place change.
at::Tensor leaf_in(const at::Tensor& flat, int64_t offset, at::IntArrayRef shape, bool requires_grad);

// Frees the bytes of a tensor's storage, keeping shape and identity; all its
// windows become empty-handed with it. allocate_storage gives them new bytes.
void free_storage(const at::Tensor& flat);
void allocate_storage(const at::Tensor& flat, int64_t bytes);
bool has_storage(const at::Tensor& flat);

// Calls `hook` on the backward thread each time the gradient of `leaf` has been
// accumulated. The hook lives as long as the returned handle.
class GradientHook {
 public:
  GradientHook(const at::Tensor& leaf, std::function<void()> hook);
  ~GradientHook();
  GradientHook(GradientHook&&) noexcept;

 private:
  std::shared_ptr<void> accumulator_;  // autograd itself keeps only a weak reference
  std::shared_ptr<std::function<void()>> hook_;
};

void run_backward(const at::Tensor& loss);  // loss: ()
// From an output whose gradient is known, of the same shape. A leaf takes it into its .grad.
void run_backward(const at::Tensor& output, const at::Tensor& gradient);
// The gradients of these alone, by the graph of `output`, which stays; nothing goes into a .grad.
std::vector<at::Tensor> gradients_of(const at::Tensor& output, const at::Tensor& gradient,
                                     const std::vector<at::Tensor>& of);

// One thread a rank, on that rank's thread: sums and products over several threads round differently, and
// ranks share the cores already. LibTorch keeps the number of threads per thread, and has the last one set
// for threads to come; OpenBLAS has one number for the process. Both are set to 1. MissingError where the
// BLAS is one that corrupts results under threads.
void use_one_thread();

// For a function that calls use_one_thread() on its own threads or its caller's: when the last of these ends,
// LibTorch has the number of threads that it had before the first, and OpenBLAS too.
class KeepThreadCounts {
 public:
  KeepThreadCounts();
  ~KeepThreadCounts();
  KeepThreadCounts& operator=(KeepThreadCounts&&) = delete;
};

// Throws MissingError where this CPU cannot compute in bfloat16.
void require_bfloat16();

struct TorchBuild {
  std::string libtorch, blas;
};
TorchBuild torch_build();
// A warning for people where products run on plain netlib BLAS; "" elsewhere.
std::string blas_warning();

}  // namespace ringside::inline tensor
