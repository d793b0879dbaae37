// Rows of a norm among threads: a warp has a part of a row (norms/order.h), or of two rows, and each of its
// threads 16 numbers of a part in pairs, which stay in registers.
#pragma once

#include "../norms/order.h"
#include "kernel.h"
#include "ringside/norms/layer_norm.h"

namespace ringside::kernels {

using norms::kLanesOfGroup;
using norms::kLanesOfRows;
using norms::kPartOfRow;
using norms::kRowsOfChunk;

constexpr int kWarp = norms::kLanes / 2;
constexpr int kPairs = static_cast<int>(kPartOfRow) / norms::kLanes;  // of a thread, in a part

__device__ inline int lane() { return static_cast<int>(threadIdx.x); }

// Two numbers side by side, as memory has them: bf16 takes one register.
template <typename Value>
struct Pair;
template <>
struct alignas(8) Pair<float> {
  float one, other;
  __device__ float first() const { return one; }
  __device__ float second() const { return other; }
  __device__ static Pair rounded(float one, float other) { return {one, other}; }
};
template <>
struct alignas(4) Pair<uint16_t> {
  uint32_t bits;
  __device__ float first() const { return std::bit_cast<float>(bits << 16); }
  __device__ float second() const { return std::bit_cast<float>(bits & 0xffff0000u); }
  __device__ static Pair rounded(float one, float other) {
#ifdef __CUDA_ARCH__
    uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(other), "f"(one));
    return {__vmins2(both, 0x7fc07fc0u)};  // its NaN is 0x7fff
#else
    return {float_to_bf16(one) | static_cast<uint32_t>(float_to_bf16(other)) << 16};
#endif
  }
};

template <>
struct alignas(16) Pair<double> {  // of sums
  double one, other;
  __device__ double first() const { return one; }
  __device__ double second() const { return other; }
};

// Rows of an even width that lie at multiples of a pair's bytes.
struct InPairs {
  template <typename Value>
  __device__ static Pair<Value> read(const Value* row, int64_t i, int64_t, Value) {
    return *reinterpret_cast<const Pair<Value>*>(row + i);
  }
  template <typename Value>
  __device__ static void write(Value* row, int64_t i, int64_t, Pair<Value> pair) {
    *reinterpret_cast<Pair<Value>*>(row + i) = pair;
  }
};
// Any others: a pair may end behind the row. There stands `fill`.
struct OneByOne {
  template <typename Value>
  __device__ static Pair<Value> read(const Value* row, int64_t i, int64_t H, Value fill) {
    return Pair<Value>::rounded(widened(row[i]), widened(i + 1 < H ? row[i + 1] : fill));
  }
  template <typename Value>
  __device__ static void write(Value* row, int64_t i, int64_t H, Pair<Value> pair) {
    put(pair.first(), row + i);
    if (i + 1 < H) put(pair.second(), row + i + 1);
  }
};

// A team of kWarps warps at most has kTogether rows at a time, a warp a part of each: the rows wait for their
// sums together. A block has one team, or four of one warp.
template <int kOfRow, int kAtATime>
struct Spread {
  static constexpr int kWarps = kOfRow, kTogether = kAtATime, kTeams = kWarps == 1 ? 4 : 1;
  static constexpr int kRows = kTogether * kTeams, kThreads = kWarp * kWarps * kTeams;
  __device__ static int64_t part() { return kWarps == 1 ? 0 : threadIdx.y; }
  __device__ static int64_t first_row() {
    return int64_t{blockIdx.x} * kRows + (kWarps == 1 ? threadIdx.y * kTogether : 0);
  }
};

// Calls f(k, i) for each pair (i, i + 1) of [0, H) that this thread has of a row, k = 0 .. kPairs - 1.
template <typename Spread, typename F>
__device__ void over_pairs(int64_t H, F f) {
  const int64_t begin = Spread::part() * kPartOfRow, first = begin + 2 * lane();
  if (begin + kPartOfRow <= H) {  // most are whole, and need not look
    RINGSIDE_UNROLL(8)
    for (int k = 0; k < kPairs; ++k) f(k, first + k * norms::kLanes);
  } else {
    RINGSIDE_UNROLL(8)
    for (int k = 0; k < kPairs; ++k)
      if (first + k * norms::kLanes < H) f(k, first + k * norms::kLanes);
  }
}

// A sum's two lanes of a thread.
template <typename Real>
struct LanesOfThread {
  Real even = 0, odd = 0;
};

// Lanes::end_part of the CPU (norms/lanes.h) for two sums of one or two rows: at lane 0 of the warp's that of
// `one`, at lane 8 that of `other`, behind each by 4 that of the second row. A step halves what a thread has
// left of them, so that four sums take hardly more steps than one.
template <int kTogether, typename Real>
__device__ Real totals_of_warp(const LanesOfThread<Real>* one, const LanesOfThread<Real>* other) {
  const auto halved = [](int distance, Real low, Real high) {
    const bool has_high = (lane() & distance) != 0;
    return (has_high ? high : low) + __shfl_xor_sync(0xffffffff, has_high ? low : high, distance);
  };
  Real of_row[kTogether];
  RINGSIDE_UNROLL(2)
  for (int r = 0; r < kTogether; ++r)
    of_row[r] = halved(8, halved(16, one[r].even, one[r].odd), halved(16, other[r].even, other[r].odd));
  Real total = halved(4, of_row[0], of_row[kTogether - 1]);
  for (const int distance : {2, 1, 16}) total += __shfl_xor_sync(0xffffffff, total, distance);
  return total;
}

// results[r] = of(r, totals of two sums over row r of H numbers), at every thread; lane r of the row's first
// warp may write what is the row's. Between two barriers nobody writes what another still reads: a block may
// call it for one row after the other.
template <typename Spread, typename Real, typename F, typename Result>
__device__ void of_totals(const LanesOfThread<Real>* one, const LanesOfThread<Real>* other, int64_t H, F of,
                          Result* results) {
  constexpr int kWarps = Spread::kWarps, kTogether = Spread::kTogether;
  const Real own = totals_of_warp<kTogether>(one, other);
  if constexpr (kWarps == 1) {
    RINGSIDE_UNROLL(2)
    for (int r = 0; r < kTogether; ++r)
      results[r] = of(r, __shfl_sync(0xffffffff, own, 4 * r), __shfl_sync(0xffffffff, own, 4 * r + 8));
  } else {
    __shared__ Real sums[kWarps][kTogether][2];
    __shared__ Result shared[kTogether];
    const int row = kTogether == 2 ? lane() / 4 % 2 : 0;
    if (lane() == 4 * row || lane() == 4 * row + 8) sums[threadIdx.y][row][lane() / 8] = own;
    __syncthreads();
    if (threadIdx.y == 0) {
      const int r = lane() % kTogether;
      Real total_one = sums[0][r][0], total_other = sums[0][r][1];
      RINGSIDE_UNROLL(8)
      for (int part = 1; part < kWarps; ++part)
        if (part * kPartOfRow < H) {
          total_one += sums[part][r][0];
          total_other += sums[part][r][1];
        }
      const Result computed = of(r, total_one, total_other);
      if (lane() < kTogether) shared[r] = computed;
    }
    __syncthreads();
    RINGSIDE_UNROLL(2)
    for (int r = 0; r < kTogether; ++r) results[r] = shared[r];
  }
}

}  // namespace ringside::kernels
