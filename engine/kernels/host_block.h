// CUDA's words for the host: its qualifiers mean nothing or little, and its threads are fibers of the calling
// thread, which change places where they wait for each other. A block that waits for ever is a failed check.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>

#define __global__
#define __device__
#define __shared__ static thread_local  // blocks run one after the other
#define __launch_bounds__(...)

namespace ringside::kernels {

struct Dim3 {
  unsigned x = 1, y = 1;
};

void run_grid(Dim3 blocks, Dim3 threads, const std::function<void()>& kernel);

// Of the running fiber.
inline thread_local Dim3 threadIdx, blockIdx, blockDim, gridDim;

void wait_for_block();
void wait_for_warp();
inline void __syncthreads() { wait_for_block(); }
inline void __syncwarp() { wait_for_warp(); }

constexpr int kHostWarp = 32;
uint64_t* words_of_warp();  // (kHostWarp), other ones than at this fiber's call before
inline int lane_of_fiber() { return static_cast<int>((threadIdx.y * blockDim.x + threadIdx.x) % kHostWarp); }

template <typename T>
T __shfl_sync(unsigned, T value, int lane) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t* const words = words_of_warp();
  std::memcpy(words + lane_of_fiber(), &value, sizeof value);
  wait_for_warp();
  std::memcpy(&value, words + lane, sizeof value);
  return value;
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits) {
  return __shfl_sync(mask, value, lane_of_fiber() ^ bits);
}
template <typename T>
T atomicMin(T* to, T value) {
  const T before = *to;
  if (value < before) *to = value;
  return before;
}
template <typename T>
T atomicAdd(T* to, T value) {
  const T before = *to;
  *to += value;
  return before;
}

}  // namespace ringside::kernels
