// What the singular values of a matrix say of its rank, in fp64.
#pragma once

#include <ATen/ATen.h>

namespace ringside::inline nn {

struct SingularValues {
  explicit SingularValues(const at::Tensor& of);  // (n, n), fp64

  // Those that rounding to this type leaves above its noise. The noise of fp64 is n 2^-52 times the greatest,
  // as numpy.linalg.matrix_rank has it; that of another type the greatest singular value of what rounding the
  // matrix changes.
  int64_t rank_in(at::ScalarType type) const;
  // exp of the entropy of the values as shares of their sum: n where all are equal, 1 where one is left. Roy
  // and Vetterli 2007, "The effective rank".
  double effective_rank() const;
  double condition() const;  // greatest over least
  // Of the absolute value: by the diagonal where all is 0 above it, else by the values, of which one below
  // 1e-300 counts as that.
  double log10_determinant() const;

  at::Tensor matrix, values;  // (n, n); (n), the greatest first
};

// How far x is from equal rows: |x - 1 m| / |x|, m the mean row. Dong, Cordonnier, Loukas 2021,
// arXiv:2103.03404. x: (T, H)
double distance_to_equal_rows(const at::Tensor& x);

}  // namespace ringside::inline nn
