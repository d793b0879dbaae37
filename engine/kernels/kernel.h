// The words that a kernel is written with. nvcc has them itself. For the host's compiler they are here, so
// that every kernel's source is a function as well that runs without a GPU, under sanitizers: the blocks run
// one after the other, and a block's threads are fibers (host_block.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringside/base/bfloat16.h"

#ifdef __CUDACC__
#include <cuda_runtime.h>

#include <string>

#include "ringside/base/error.h"

#define RINGSIDE_WORDS(text) _Pragma(#text)
#define RINGSIDE_UNROLL(times) RINGSIDE_WORDS(unroll times)
#else
#include <cmath>
#include <cstring>
#include <new>

#include "host_block.h"

#define RINGSIDE_UNROLL(times)
#endif

namespace ringside::kernels {

struct Grid {
  unsigned blocks_x, blocks_y, threads_x, threads_y;
};

inline unsigned blocks_for(int64_t count, int64_t of_block) {
  return static_cast<unsigned>((count + of_block - 1) / of_block);
}

#ifdef __CUDACC__

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw MissingError(std::string(what) + " on the GPU: " + cudaGetErrorString(error));
}

template <typename... Parameter, typename... Argument>
void launch(void (*kernel)(Parameter...), Grid grid, void* stream, const Argument&... arguments) {
  kernel<<<dim3(grid.blocks_x, grid.blocks_y), dim3(grid.threads_x, grid.threads_y), 0,
           static_cast<cudaStream_t>(stream)>>>(arguments...);
  check(cudaGetLastError(), "a kernel's launch");
}

// The same for a kernel that calls begin_early() first: its blocks come while those of the one before leave.
template <typename... Parameter, typename... Argument>
void launch_early(void (*kernel)(Parameter...), Grid grid, void* stream, const Argument&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid.blocks_x, grid.blocks_y);
  config.blockDim = dim3(grid.threads_x, grid.threads_y);
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = &early;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, Parameter(arguments)...), "a kernel's launch");
}
// Waits until all that was launched before has ended, and lets the next kernel's blocks come meanwhile.
__device__ inline void begin_early() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

// So many blocks of such a grid are on the GPU at once.
template <typename... Parameter>
unsigned blocks_at_once(void (*kernel)(Parameter...), Grid grid) {
  int device = 0, multiprocessors = 0, of_each = 0;
  check(cudaGetDevice(&device), "its number");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "its size");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel,
                                                      static_cast<int>(grid.threads_x * grid.threads_y), 0),
        "a kernel's size");
  return static_cast<unsigned>(multiprocessors * of_each);
}

// The stream's pool would give memory back to the driver at every wait, which takes longer than most kernels.
inline bool keep_work_space() {
  uint64_t bytes = uint64_t{64} << 20;
  int device = 0;
  cudaMemPool_t pool = nullptr;
  check(cudaGetDevice(&device), "its number");
  check(cudaDeviceGetDefaultMemPool(&pool, device), "its pool of memory");
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes), "its pool of memory");
  return true;
}

// Fewer warps leave most of a GPU idle.
constexpr unsigned kBusyWarps = 1024;

// Memory for what is launched on the stream meanwhile.
class WorkSpace {
 public:
  WorkSpace(size_t bytes, void* stream) : stream_(static_cast<cudaStream_t>(stream)) {
    [[maybe_unused]] static const bool kept = keep_work_space();
    check(cudaMallocAsync(&data_, bytes, stream_), "work space");
  }
  ~WorkSpace() { cudaFreeAsync(data_, stream_); }

#else

template <typename... Parameter, typename... Argument>
void launch(void (*kernel)(Parameter...), Grid grid, void*, const Argument&... arguments) {
  run_grid({grid.blocks_x, grid.blocks_y}, {grid.threads_x, grid.threads_y}, [&] { kernel(arguments...); });
}

template <typename... Parameter, typename... Argument>
void launch_early(void (*kernel)(Parameter...), Grid grid, void* stream, const Argument&... arguments) {
  launch(kernel, grid, stream, arguments...);
}
inline void begin_early() {}
constexpr unsigned kBusyWarps = 64;

template <typename... Parameter>
unsigned blocks_at_once(void (*)(Parameter...), Grid) {
  return 3;
}

class WorkSpace {
 public:
  WorkSpace(size_t bytes, void*) : data_(::operator new(bytes)) {}
  ~WorkSpace() { ::operator delete(data_); }

#endif

  WorkSpace& operator=(WorkSpace&&) = delete;
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
#ifdef __CUDACC__
  cudaStream_t stream_;
#endif
  void* data_ = nullptr;
};

// bf16 is its 16 bits.
__device__ inline float widened(float value) { return value; }
__device__ inline double widened(double value) { return value; }
__device__ inline int64_t widened(int64_t value) { return value; }
__device__ inline float widened(uint16_t bits) { return bf16_to_float(bits); }
__device__ inline void put(float value, float* to) { *to = value; }
__device__ inline void put(double value, double* to) { *to = value; }
__device__ inline void put(int64_t value, int64_t* to) { *to = value; }
__device__ inline void put(float value, uint16_t* to) { *to = float_to_bf16(value); }

}  // namespace ringside::kernels
