#include "ringside/kernels/sums.h"

#include <algorithm>
#include <string>

#include "kernel.h"
#include "ringside/base/error.h"

namespace ringside::kernels {
namespace {

constexpr unsigned kThreads = 256;  // of a block
constexpr int kOfThread = 4;        // elements

// Calls f(i) for this thread's elements of [0, n).
template <typename F>
__device__ void over_elements(int64_t n, F f) {
  const int64_t first = int64_t{blockIdx.x} * kThreads * kOfThread + threadIdx.x;
  RINGSIDE_UNROLL(4)
  for (int k = 0; k < kOfThread; ++k)
    if (first + k * int64_t{kThreads} < n) f(k, first + k * int64_t{kThreads});
}

struct Inputs {
  const void* of[kMostInputs];
  int count;
};

enum class Combine : uint8_t { kSum, kLargest };

// Not __restrict__: out may be an input.
template <typename Value, Combine kHow>
__global__ void __launch_bounds__(kThreads) sum_in_order(Value* out, Inputs inputs, int64_t n) {
  decltype(widened(Value{})) sum[kOfThread];
  over_elements(n, [&](int k, int64_t i) { sum[k] = widened(static_cast<const Value*>(inputs.of[0])[i]); });
  for (int input = 1; input < inputs.count; ++input)
    over_elements(n, [&](int k, int64_t i) {
      const auto value = widened(static_cast<const Value*>(inputs.of[input])[i]);
      if constexpr (kHow == Combine::kSum)
        sum[k] += value;
      else if (value > sum[k] || value != value)
        sum[k] = value;
    });
  over_elements(n, [&](int k, int64_t i) { put(sum[k], out + i); });
}

template <typename Value>
void sum_of(void* out, const Inputs& inputs, int64_t n, Combine how, void* stream) {
  const Grid grid{blocks_for(n, kThreads * kOfThread), 1, kThreads, 1};
  launch(how == Combine::kSum ? sum_in_order<Value, Combine::kSum> : sum_in_order<Value, Combine::kLargest>,
         grid, stream, static_cast<Value*>(out), inputs, n);
}

// A float is NaN or infinite where all bits of its exponent are set.
template <typename Bits>
__global__ void __launch_bounds__(kThreads)
    find_full(uint64_t* first, const Bits* values, int64_t n, Bits exponent) {
  over_elements(n, [&](int, int64_t i) {
    if ((values[i] & exponent) == exponent)
      atomicMin(reinterpret_cast<unsigned long long*>(first), static_cast<unsigned long long>(i));
  });
}
template <typename Bits>
void find_full_of(uint64_t* first, const void* values, int64_t n, Bits exponent, void* stream) {
  launch(find_full<Bits>, Grid{blocks_for(n, kThreads * kOfThread), 1, kThreads, 1}, stream, first,
         static_cast<const Bits*>(values), n, exponent);
}

struct Copies {
  Copy of[kMostCopies];
};

// Words where all of it is aligned, else bytes: parameters begin at multiples of their element.
template <typename Word>
__device__ void copy(const Copy& one) {
  const int64_t count = one.bytes / static_cast<int64_t>(sizeof(Word)), step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += step)
    static_cast<Word*>(one.to)[i] = static_cast<const Word*>(one.from)[i];
}

struct alignas(16) Wide {
  uint32_t words[4];
};

__global__ void __launch_bounds__(kThreads) copy_each(Copies copies) {
  const Copy& one = copies.of[blockIdx.y];
  const auto all = reinterpret_cast<uintptr_t>(one.to) | reinterpret_cast<uintptr_t>(one.from) |
                   static_cast<uintptr_t>(one.bytes);
  if (all % 16 == 0)
    copy<Wide>(one);
  else if (all % 4 == 0)
    copy<uint32_t>(one);
  else if (all % 2 == 0)
    copy<uint16_t>(one);
  else
    copy<uint8_t>(one);
}

constexpr int kExponents = 256;         // of an fp32 number, as stored
constexpr int kOfSquareThread = 256;    // elements
constexpr int kTables = kThreads / 32;  // one a warp: its lanes alone wait for each other
constexpr int kPieces = 3;  // of 16 bits each: a GPU adds 32 bits in a block's memory at once, 64 in a loop

using Word = unsigned long long;  // what atomicAdd takes

// Squares of one stored exponent are integers on one scale (optim/exact_square_sum.h): a block adds up its
// own by exponent. A warp has 2^13 elements, whose pieces fit into 32 bits.
template <typename Value>
__global__ void __launch_bounds__(kThreads) square_table(Word* table, const Value* values, int64_t n) {
  __shared__ uint32_t sums[kTables][kPieces][kExponents];
  for (int i = static_cast<int>(threadIdx.x); i < kTables * kPieces * kExponents; i += kThreads)
    (&sums[0][0][0])[i] = 0;
  __syncthreads();
  auto& own = sums[threadIdx.x / 32];
  const int64_t first = int64_t{blockIdx.x} * kThreads * kOfSquareThread + threadIdx.x;
  RINGSIDE_UNROLL(8)
  for (int k = 0; k < kOfSquareThread; ++k) {
    const int64_t i = first + k * int64_t{kThreads};
    if (i >= n) break;
    const uint32_t bits = std::bit_cast<uint32_t>(widened(values[i])) & 0x7FFFFFFFu, exponent = bits >> 23;
    const Word m = (bits & 0x7FFFFFu) | (exponent != 0 ? 0x800000u : 0u);
    for (int piece = 0; piece < kPieces; ++piece)
      if (const auto part = static_cast<uint32_t>(m * m >> (16 * piece)) & 0xFFFFu; part != 0)
        atomicAdd(&own[piece][exponent], part);
  }
  __syncthreads();
  Word sum = 0;
  for (int t = 0; t < kTables; ++t)
    for (int piece = 0; piece < kPieces; ++piece) sum += Word{sums[t][piece][threadIdx.x]} << (16 * piece);
  table[int64_t{blockIdx.x} * kExponents + threadIdx.x] = sum;
}

// A thread has an exponent of some tables.
__global__ void add_tables(int64_t* limbs, const Word* tables, int64_t count) {
  const int exponent = static_cast<int>(threadIdx.x);
  unsigned __int128 sum = 0;
  for (int64_t table = blockIdx.x; table < count; table += gridDim.x)
    sum += tables[table * kExponents + exponent];
  if (sum == 0) return;
  auto* const words = reinterpret_cast<Word*>(limbs);
  if (exponent == kExponents - 1) {  // infinite or NaN
    atomicAdd(words + kNormLimbs - 1, Word{1});
    return;
  }
  const int position = position_of_square(exponent);
  Word* const limb = words + position / 32;
  const int shift = position % 32;
  // sum < 2^79 for 2^31 elements: four limbs hold it, shifted.
  const unsigned __int128 shifted = sum << shift;
  for (int k = 0; k < 4; ++k)
    if (const Word part = static_cast<uint32_t>(shifted >> (32 * k)); part != 0) atomicAdd(limb + k, part);
}

template <typename Value>
void add_squares_of(int64_t* limbs, const Value* values, int64_t count, void* stream) {
  const unsigned blocks = blocks_for(count, int64_t{kThreads} * kOfSquareThread);
  const WorkSpace tables(size_t{blocks} * kExponents * sizeof(Word), stream);
  launch(square_table<Value>, Grid{blocks, 1, kThreads, 1}, stream, tables.as<Word>(), values, count);
  launch(add_tables, Grid{std::min(64U, blocks), 1, kExponents, 1}, stream, limbs,
         static_cast<const Word*>(tables.as<Word>()), int64_t{blocks});
}

void check_dtype(Dtype dtype) {
  if (dtype != Dtype::kFloat32 && dtype != Dtype::kBFloat16)
    throw UsageError(std::string("sums on the GPU are of fp32 or bf16, not of ") +
                     std::string(to_string(dtype)));
}

void combine(void* out, const std::vector<const void*>& inputs, int64_t n, Dtype dtype, Combine how,
             void* stream) {
  if (inputs.empty() || inputs.size() > kMostInputs)
    throw UsageError("an ordered sum on the GPU has 1 to " + std::to_string(kMostInputs) + " inputs, not " +
                     std::to_string(inputs.size()));
  if (n == 0) return;
  Inputs all{};
  std::copy(inputs.begin(), inputs.end(), all.of);
  all.count = static_cast<int>(inputs.size());
  if (dtype == Dtype::kFloat64) return sum_of<double>(out, all, n, how, stream);
  if (dtype == Dtype::kInt64) return sum_of<int64_t>(out, all, n, how, stream);
  check_dtype(dtype);
  if (dtype == Dtype::kBFloat16) return sum_of<uint16_t>(out, all, n, how, stream);
  sum_of<float>(out, all, n, how, stream);
}

}  // namespace

void ordered_sum(void* out, const std::vector<const void*>& inputs, int64_t n, Dtype dtype, void* stream) {
  combine(out, inputs, n, dtype, Combine::kSum, stream);
}
void largest(void* out, const std::vector<const void*>& inputs, int64_t n, Dtype dtype, void* stream) {
  combine(out, inputs, n, dtype, Combine::kLargest, stream);
}

void first_non_finite(uint64_t* first, const void* values, int64_t count, Dtype dtype, void* stream) {
  if (count == 0) return;
  if (dtype == Dtype::kFloat32) find_full_of(first, values, count, 0x7f800000u, stream);
  if (dtype == Dtype::kBFloat16) find_full_of(first, values, count, uint16_t{0x7f80u}, stream);
  if (dtype == Dtype::kFloat64) find_full_of(first, values, count, uint64_t{0x7ff0000000000000u}, stream);
}

void copy_all(const std::vector<Copy>& copies, void* stream) {
  constexpr unsigned kMostBlocks = 1024;  // of one tensor
  for (size_t begin = 0; begin < copies.size(); begin += kMostCopies) {
    Copies some{};
    const size_t count = std::min(kMostCopies, copies.size() - begin);
    std::copy_n(copies.begin() + static_cast<ptrdiff_t>(begin), count, some.of);
    int64_t most = 0;
    for (const Copy& copy : some.of) most = std::max(most, copy.bytes);
    if (most == 0) continue;
    launch(copy_each,
           Grid{std::min(kMostBlocks, blocks_for(most, kThreads * 16)), static_cast<unsigned>(count),
                kThreads, 1},
           stream, some);
  }
}

void add_squares(int64_t* limbs, const void* values, int64_t count, Dtype dtype, void* stream) {
  check_dtype(dtype);
  if (count == 0) return;
  if (dtype == Dtype::kBFloat16)
    add_squares_of(limbs, static_cast<const uint16_t*>(values), count, stream);
  else
    add_squares_of(limbs, static_cast<const float*>(values), count, stream);
}

}  // namespace ringside::kernels
