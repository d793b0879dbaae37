#include <cuda_runtime.h>

#include <limits>

#include "../adam_moments.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/cuda/adamw.h"

namespace ringside::cuda {
namespace {

constexpr int kThreads = 256;  // of a block

struct Rule {
  optimizers::AdamMoments<float> moments;
  float keep, scale;
};

struct Memory {
  int64_t count;
  float *weights, *m, *v;
  uint16_t* rounded;  // or null
};

__device__ float to_float(float value) { return value; }
__device__ float to_float(uint16_t value) { return bf16_to_float(value); }

// Any NaN becomes the quiet one, as on the CPU.
__device__ float one_nan(float value) {
  return value == value ? value : std::numeric_limits<float>::quiet_NaN();
}

template <typename Gradient>
__global__ void update(Memory memory, const Gradient* __restrict__ gradient, Rule rule) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= memory.count) return;
  const float g = to_float(gradient[i]) * rule.scale;
  float w = memory.weights[i], m = memory.m[i], v = memory.v[i];
  rule.moments.add(g, m, v);
  w = w * rule.keep - rule.moments.step(m, v);
  memory.weights[i] = w = one_nan(w);
  memory.m[i] = one_nan(m);
  memory.v[i] = one_nan(v);
  if (memory.rounded != nullptr) memory.rounded[i] = float_to_bf16(w);
}

}  // namespace

bool has_gpu() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

void adamw(const Elements& device, const Values& values, const UpdateOptions& options, void* stream) {
  RINGSIDE_CHECK_EQ(device.state.size(), size_t{2});
  if (device.count == 0) return;
  const double decay = options.learning_rate * values.at("weight_decay");
  const Rule rule{{values, options}, static_cast<float>(1.0 - decay), options.gradient_scale};
  const Memory memory{device.count, device.weights, device.state[0], device.state[1], device.rounded};
  const auto blocks = static_cast<unsigned>((device.count + kThreads - 1) / kThreads);
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (device.gradient_dtype == Dtype::kBFloat16)
    update<<<blocks, kThreads, 0, queue>>>(memory, static_cast<const uint16_t*>(device.gradient), rule);
  else
    update<<<blocks, kThreads, 0, queue>>>(memory, static_cast<const float*>(device.gradient), rule);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
    throw MissingError(std::string("AdamW on the GPU cannot be launched: ") + cudaGetErrorString(error));
}

}  // namespace ringside::cuda
