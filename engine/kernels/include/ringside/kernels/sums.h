// Sums and copies of gradients on a GPU. Every pointer that they are given is in the current GPU's memory,
// but for the lists themselves. Launched on `stream`, a cudaStream_t, and not waited for. UsageError and
// MissingError as in update.h.
#pragma once

#include <cstdint>
#include <vector>

#include "ringside/optim/exact_square_sum.h"

namespace ringside::kernels {

// out = round(in_0 + in_1 + ... + in_{N-1}), (n) each, fp32, bf16, fp64 or int64: in that order and in fp32,
// as reduce_into (comm/accumulator.h) has it, with the same bits; or their largest. `out` may be one of the
// inputs. N <= kMostInputs.
constexpr size_t kMostInputs = 64;
void ordered_sum(void* out, const std::vector<const void*>& inputs, int64_t n, Dtype dtype,
                 void* stream = nullptr);
void largest(void* out, const std::vector<const void*>& inputs, int64_t n, Dtype dtype,
             void* stream = nullptr);

// Lowers *first, of the device, to the index of the first of the fp32, bf16 or fp64 values that is NaN or
// infinite.
void first_non_finite(uint64_t* first, const void* values, int64_t count, Dtype dtype,
                      void* stream = nullptr);

// Tensors beside their places in a bucket: one launch for kMostCopies of them.
struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  int64_t bytes = 0;
};
constexpr size_t kMostCopies = 64;
void copy_all(const std::vector<Copy>& copies, void* stream = nullptr);

// Adds to limbs (kNormLimbs) what ExactSquareSum::add adds to its own: the same integers once carries are
// taken.
void add_squares(int64_t* limbs, const void* values, int64_t count, Dtype dtype, void* stream = nullptr);

}  // namespace ringside::kernels
