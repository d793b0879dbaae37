// What both norms' kernels are made of: a warp for a row, a thread for a feature, and launches that are
// checked.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "../order.h"
#include "ringside/base/error.h"
#include "ringside/norms/layer_norm.h"

namespace ringside::cuda {

using norms::kFewFeatures;
using norms::kLanes;
using norms::kRowsOfChunk;
using norms::Rows;

constexpr int kThreads = 128;                        // of a block
constexpr int64_t kRowsOfBlock = kThreads / kLanes;  // a warp each

__device__ inline int lane() { return threadIdx.x % kLanes; }
__device__ inline int64_t row_of_warp() { return int64_t{blockIdx.x} * kRowsOfBlock + threadIdx.x / kLanes; }

// Lanes::total of the CPU, at every lane.
template <typename Real>
__device__ Real total(Real part) {
  for (const int distance : {16, 8, 4, 2, 1}) part += __shfl_down_sync(0xffffffff, part, distance);
  return __shfl_sync(0xffffffff, part, 0);
}

// Calls add(row) for the rows of a chunk.
template <typename Add>
__device__ void over_chunk(int64_t chunk, int64_t M, Add add) {
  const int64_t first = chunk * kRowsOfChunk;
  const int64_t end = first + kRowsOfChunk < M ? first + kRowsOfChunk : M;
  for (int64_t row = first; row < end; ++row) add(row);
}

// out[i] = sum over chunks of parts[chunk][i]
static __global__ void add_chunks(const double* __restrict__ parts, int64_t chunks, int64_t H,
                                  float* __restrict__ out) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= H) return;
  double sum = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += parts[chunk * H + i];
  out[i] = static_cast<float>(sum);
}

inline unsigned blocks_for(int64_t count, int64_t of_block) {
  return static_cast<unsigned>((count + of_block - 1) / of_block);
}

inline void check(cudaError_t error) {
  if (error != cudaSuccess)
    throw MissingError(std::string("a norm on the GPU cannot be launched: ") + cudaGetErrorString(error));
}

// Memory of the stream's pool, for what is launched on it meanwhile.
class WorkSpace {
 public:
  WorkSpace(int64_t count, cudaStream_t stream) : stream_(stream) {
    check(cudaMallocAsync(&data_, static_cast<size_t>(count) * sizeof(double), stream));
  }
  ~WorkSpace() { cudaFreeAsync(data_, stream_); }
  WorkSpace(const WorkSpace&) = delete;
  WorkSpace& operator=(const WorkSpace&) = delete;
  double* data() const { return static_cast<double*>(data_); }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

}  // namespace ringside::cuda
