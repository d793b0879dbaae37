#include "ringside/tensor/torch_adapter.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "ringside/base/check.h"

namespace ringside::inline tensor {

namespace {

// In the order of Dtype.
constexpr std::array<at::ScalarType, 9> kScalarTypes = {
    at::kFloat, at::kBFloat16, at::kDouble, at::kLong, at::kByte, at::kHalf, at::kInt, at::kChar, at::kBool};

constexpr const char* kPlainBlas = "reference BLAS";

template <typename Function>
Function* find_symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

struct CallFunction : torch::autograd::FunctionPostHook {
  explicit CallFunction(std::shared_ptr<std::function<void()>> function) : hook(std::move(function)) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    if (*hook) (*hook)();
    return outputs;
  }
  std::shared_ptr<std::function<void()>> hook;
};

struct ThreadCounts {
  std::mutex mutex;
  int holders = 0;
  int torch = 0, blas = 0;  // before the first holder
};
ThreadCounts& thread_counts() {
  static ThreadCounts counts;
  return counts;
}

}  // namespace

at::ScalarType scalar_type(Dtype dtype) {
  RINGSIDE_CHECK_LT(size_t(dtype), kScalarTypes.size());
  return kScalarTypes[size_t(dtype)];
}

Dtype dtype_of(const at::Tensor& tensor) {
  const auto* found = std::ranges::find(kScalarTypes, tensor.scalar_type());
  RINGSIDE_CHECK(found != kScalarTypes.end(), "no collective carries " << tensor.scalar_type());
  return static_cast<Dtype>(found - kScalarTypes.begin());
}

at::Tensor leaf_in(const at::Tensor& flat, int64_t offset, at::IntArrayRef shape, bool requires_grad) {
  at::NoGradGuard no_grad;
  at::Tensor leaf = at::empty({0}, flat.options());
  leaf.set_(flat.storage(), flat.storage_offset() + offset, shape);  // without strides: row by row
  return leaf.set_requires_grad(requires_grad);
}

void free_storage(const at::Tensor& flat) {
  const at::Storage& storage = flat.storage();
  storage.unsafeGetStorageImpl()->set_data_ptr_noswap(at::DataPtr(nullptr, flat.device()));
  storage.unsafeGetStorageImpl()->set_nbytes(size_t(0));
}

void allocate_storage(const at::Tensor& flat, int64_t bytes) {
  c10::StorageImpl* storage = flat.storage().unsafeGetStorageImpl();
  RINGSIDE_CHECK(!has_storage(flat), "allocated twice");
  storage->set_data_ptr_noswap(storage->allocator()->allocate(size_t(bytes)));
  storage->set_nbytes(size_t(bytes));
}

bool has_storage(const at::Tensor& flat) { return flat.storage().nbytes() > 0; }

GradientHook::GradientHook(const at::Tensor& leaf, std::function<void()> hook)
    : hook_(std::make_shared<std::function<void()>>(std::move(hook))) {
  auto accumulator = torch::autograd::impl::grad_accumulator(leaf);
  accumulator->add_post_hook(std::make_unique<CallFunction>(hook_));
  accumulator_ = std::make_shared<decltype(accumulator)>(accumulator);
}

GradientHook::~GradientHook() {
  if (hook_) *hook_ = nullptr;  // the accumulator may outlive us in a graph
}

GradientHook::GradientHook(GradientHook&&) noexcept = default;

void run_backward(const at::Tensor& loss) {
  if (!loss.requires_grad())
    throw UsageError(
        "the loss depends on no parameter that is trained: leave at least one that is not frozen");
  torch::autograd::backward({loss}, {});
}

void run_backward(const at::Tensor& output, const at::Tensor& gradient) {
  torch::autograd::backward({output}, {gradient});
}

std::vector<at::Tensor> gradients_of(const at::Tensor& output, const at::Tensor& gradient,
                                     const std::vector<at::Tensor>& of) {
  return torch::autograd::grad({output}, of, {gradient}, /*retain_graph=*/true);
}

void use_one_thread() {
  at::set_num_threads(1);
  // openblas_get_parallel: 0 means built without threads, whose buffers several callers would share.
  if (auto* parallel = find_symbol<int()>("openblas_get_parallel"); parallel != nullptr && parallel() == 0) {
    throw MissingError(
        "libopenblas0-serial corrupts results when ranks are threads; "
        "install libopenblas0-pthread and remove libopenblas0-serial");
  }
  if (auto* set_threads = find_symbol<void(int)>("openblas_set_num_threads")) set_threads(1);
}

KeepThreadCounts::KeepThreadCounts() {
  ThreadCounts& counts = thread_counts();
  const std::lock_guard lock(counts.mutex);
  if (counts.holders++ > 0) return;
  counts.torch = at::get_num_threads();
  auto* const blas = find_symbol<int()>("openblas_get_num_threads");
  counts.blas = blas != nullptr ? blas() : 0;
}

KeepThreadCounts::~KeepThreadCounts() {
  ThreadCounts& counts = thread_counts();
  const std::lock_guard lock(counts.mutex);
  if (--counts.holders > 0) return;
  at::set_num_threads(counts.torch);
  if (counts.blas > 0) find_symbol<void(int)>("openblas_set_num_threads")(counts.blas);
}

void require_bfloat16() try {
  const at::Tensor a = at::ones({8, 8}, at::kBFloat16);
  const float sum = (a + a).sum().to(at::kFloat).item<float>();
  RINGSIDE_CHECK_EQ(sum, 128.0f);
} catch (const std::exception& error) {
  throw MissingError(
      std::string("this CPU or LibTorch cannot compute in bfloat16; run with precision=fp32 (") +
      error.what() + ")");
}

TorchBuild torch_build() {
  if (auto* config = find_symbol<char*()>("openblas_get_config")) return {TORCH_VERSION, config()};
  return {TORCH_VERSION, at::hasMKL() ? "MKL" : kPlainBlas};
}

std::string blas_warning() {
  if (torch_build().blas != kPlainBlas) return "";
  return "matrix products run on plain BLAS, about 40 times slower; install libopenblas0-pthread";
}

}  // namespace ringside::inline tensor
