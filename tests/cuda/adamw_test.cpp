// AdamW on the GPU beside its CPU twin, the optimizer "adamw": every bit.
#include "ringside/cuda/adamw.h"

#include <cuda_runtime.h>

#include <cstring>

#include "catch.h"
#include "odd_values.h"
#include "ringside/base/bfloat16.h"
#include "ringside/optim/optimizer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// A copy of values in the GPU's memory.
template <typename T>
class OnGpu {
 public:
  explicit OnGpu(const std::vector<T>& values) : count_(values.size()) {
    REQUIRE(cudaMalloc(&data_, bytes() + 1) == cudaSuccess);  // not null where there is nothing
    REQUIRE(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~OnGpu() { cudaFree(data_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

  T* data() const { return static_cast<T*>(data_); }
  bool holds(const std::vector<T>& expected) const {
    std::vector<T> values(count_);
    REQUIRE(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
    return count_ == 0 || std::memcmp(values.data(), expected.data(), bytes()) == 0;
  }

 private:
  size_t bytes() const { return count_ * sizeof(T); }
  size_t count_;
  void* data_ = nullptr;
};

struct Memory {
  std::vector<float> gradient, weights, m, v;
  std::vector<uint16_t> short_gradient, rounded;

  explicit Memory(int64_t count)
      : gradient(odd_values<float>(count, 1)),
        weights(odd_values<float>(count, 2)),
        m(odd_values<float>(count, 3)),
        v(odd_values<float>(count, 4)),
        rounded(weights.size()) {
    for (const float value : gradient) short_gradient.push_back(float_to_bf16(value));
  }
};

Elements elements(int64_t count, bool bf16, float* weights, const float* gradient,
                  const uint16_t* short_gradient, uint16_t* rounded, float* m, float* v) {
  Elements e;
  e.count = count;
  e.weights = weights;
  e.gradient = bf16 ? static_cast<const void*>(short_gradient) : gradient;
  e.gradient_dtype = bf16 ? Dtype::kBFloat16 : Dtype::kFloat32;
  e.rounded = bf16 ? rounded : nullptr;
  e.state = {m, v};
  return e;
}

void compare(int64_t count, bool bf16) {
  const Optimizer twin = make_optimizer({.name = "adamw"});
  Values values;
  for (const HyperparameterSpec& one : twin.spec().hyperparameters) values[one.name] = one.standard;
  Memory cpu(count);
  const OnGpu<float> gradient(cpu.gradient), weights(cpu.weights), m(cpu.m), v(cpu.v);
  const OnGpu<uint16_t> short_gradient(cpu.short_gradient), rounded(cpu.rounded);
  for (int64_t step = 1; step <= 3; ++step) {
    const UpdateOptions options{.learning_rate = 0.01, .step = step, .gradient_scale = 0.3F};
    twin.update(elements(count, bf16, cpu.weights.data(), cpu.gradient.data(), cpu.short_gradient.data(),
                         cpu.rounded.data(), cpu.m.data(), cpu.v.data()),
                options);
    cuda::adamw(elements(count, bf16, weights.data(), gradient.data(), short_gradient.data(), rounded.data(),
                         m.data(), v.data()),
                values, options);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
  INFO(count << " elements, gradients in " << (bf16 ? "bf16" : "fp32"));
  CHECK(weights.holds(cpu.weights));
  CHECK(m.holds(cpu.m));
  CHECK(v.holds(cpu.v));
  CHECK(rounded.holds(cpu.rounded));
}

}  // namespace

TEST_CASE("AdamW has the same bits on the GPU as on the CPU, special values included") {
  if (!cuda::has_gpu()) {
    WARN("not run: there is no GPU here, the kernel is only compiled");
    return;
  }
  for (const int64_t count : {0, 1, 255, 256, 257, 100'003})
    for (const bool bf16 : {false, true}) compare(count, bf16);
}
