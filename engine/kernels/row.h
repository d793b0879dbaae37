// A row of a norm among threads: a warp has a part of it (norms/order.h), and each of its lanes 16 numbers,
// which stay in registers.
#pragma once

#include "../norms/order.h"
#include "kernel.h"
#include "ringside/norms/layer_norm.h"

namespace ringside::kernels {

using norms::kLanes;
using norms::kLanesOfGroup;
using norms::kLanesOfRows;
using norms::kPartOfRow;
using norms::kRowsOfChunk;

constexpr int kOfLane = static_cast<int>(kPartOfRow) / kLanes;
constexpr int kRowsOfBlock = 4;  // where a row is one part

__device__ inline int lane() { return static_cast<int>(threadIdx.x); }

// Calls f(k, i) for each number i of [0, H) that this thread has of the part, k = 0 .. kOfLane - 1.
template <typename F>
__device__ void over_part(int64_t part, int64_t H, F f) {
  const int64_t first = part * kPartOfRow + lane();
  if (part * kPartOfRow + kPartOfRow <= H) {  // most are whole, and need not look
    RINGSIDE_UNROLL(16)
    for (int k = 0; k < kOfLane; ++k) f(k, first + k * kLanes);
  } else {
    RINGSIDE_UNROLL(16)
    for (int k = 0; k < kOfLane; ++k)
      if (first + k * kLanes < H) f(k, first + k * kLanes);
  }
}

// Lanes::total of the CPU (norms/lanes.h) for two sums, at every lane.
template <typename Real>
__device__ void totals_of_warp(Real& one, Real& other) {
  for (const int distance : {16, 8, 4, 2, 1}) {
    const Real from_one = __shfl_down_sync(0xffffffff, one, distance);
    const Real from_other = __shfl_down_sync(0xffffffff, other, distance);
    one += from_one;
    other += from_other;
  }
  one = __shfl_sync(0xffffffff, one, 0);
  other = __shfl_sync(0xffffffff, other, 0);
}

// of(totals of two sums over a row of kParts parts at most), at every thread; one warp of the row computes
// it. Between two barriers nobody writes what another still reads: a block may call it for one row after the
// other.
template <int kParts, typename Real, typename F>
__device__ auto of_totals(Real one, Real other, F of) {
  if constexpr (kParts == 1) {
    totals_of_warp(one, other);
    return of(one, other);
  } else {
    using Result = decltype(of(one, other));
    __shared__ Real sums[2][kParts][kLanes];
    __shared__ Result result;
    sums[0][threadIdx.y][lane()] = one;
    sums[1][threadIdx.y][lane()] = other;
    __syncthreads();
    if (threadIdx.y == 0) {
      for (unsigned part = 1; part < blockDim.y; ++part) {
        one += sums[0][part][lane()];
        other += sums[1][part][lane()];
      }
      totals_of_warp(one, other);
      const Result computed = of(one, other);
      if (lane() == 0) result = computed;
    }
    __syncthreads();
    return result;
  }
}

}  // namespace ringside::kernels
