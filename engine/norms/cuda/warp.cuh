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

using norms::kLanes;
using norms::kRowsAtOnce;
using norms::kRowsOfChunk;
using norms::Rows;
using norms::sums_in_double;

constexpr int kThreads = 128;                        // of a block
constexpr int64_t kRowsOfBlock = kThreads / kLanes;  // a warp each

__device__ inline int lane() { return threadIdx.x % kLanes; }
__device__ inline int64_t row_of_warp() { return int64_t{blockIdx.x} * kRowsOfBlock + threadIdx.x / kLanes; }

// Lanes::total of the CPU, at every lane.
template <typename Real>
__device__ Real total(Real part) {
  for (const int distance : {8, 16, 4, 2, 1}) part += __shfl_down_sync(0xffffffff, part, distance);
  return __shfl_sync(0xffffffff, part, 0);
}

// add(i, sums...) of a feature: this thread's sums over a chunk of rows, in the CPU's order. first: of the
// chunk.
template <typename Sum, typename Add>
__device__ void over_chunk(int64_t first, int64_t M, double* dw, double* db, Add add) {
  double all_w = 0, all_b = 0;
  const int64_t end = first + kRowsOfChunk < M ? first + kRowsOfChunk : M;
  while (first < end) {
    const int64_t rows = first + kRowsAtOnce <= end ? kRowsAtOnce : 1;
    Sum w = 0, b = 0;
    for (int64_t r = 0; r < rows; ++r) add(first + r, w, b);
    all_w += w;
    all_b += b;
    first += rows;
  }
  *dw = all_w;
  if (db != nullptr) *db = all_b;
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
