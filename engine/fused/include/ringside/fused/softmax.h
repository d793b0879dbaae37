// Scale, mask and softmax of attention's scores on plain memory, row by row of (B, A, T, T).
//
//   z_j = scale s_j + mask_j     m = max z     p_j = e^(z_j - m) / sum e^(z - m)
//   ds_j = scale p_j (dp_j - sum dp p)
//
// Vaswani et al. 2017, arXiv:1706.03762. Real: float or double. Maximum and sums are taken in lanes of 64
// bytes, so bits do not depend on the CPU's vectors. A row of which all is hidden (-inf) is NaN, as
// LibTorch's softmax has it.
#pragma once

#include <cstdint>

namespace ringside::fused {

struct Scores {
  int64_t samples = 0, heads = 0, tokens = 0;  // B, A, T
  double scale = 1;
};

// (T, T), or one of each sample; rows need not stand one behind the other.
struct Mask {
  const float* values;
  int64_t to_next_row = 0, to_next_sample = 0;  // in numbers; 0: one mask for all samples
};

template <typename Real>
struct SoftmaxForward {
  Scores of;
  Mask mask;
  const Real* s;
  Real* p;  // may be s
};

template <typename Real>
struct SoftmaxBackward {
  Scores of;
  const Real *p, *dp;
  Real* ds;  // may be dp
};

template <typename Real>
void run(const SoftmaxForward<Real>& call);
template <typename Real>
void run(const SoftmaxBackward<Real>& call);

}  // namespace ringside::fused
