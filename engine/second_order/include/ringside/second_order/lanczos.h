// The ends of the spectrum of a symmetric matrix A (n, n) that is known by its products with vectors alone.
//
//   A Q_k = Q_k T_k + b_k q_{k+1} e_k^T        Q_k (n, k) orthonormal, T_k (k, k) tridiagonal
//
// The eigenvalues of T_k come near those of A, the outer ones first. An eigenvalue of A lies within
// b_k |last entry of T_k's eigenvector| of each. Lanczos 1950, doi:10.6028/jres.045.026.
//
// In floating point the vectors lose their orthogonality where a value has been found, and it is found again:
// here each is made orthogonal to all before it, twice. Costs k products, k n numbers and k^2 n operations.
// An eigenvalue of several directions is found once. A start that has no part along a direction does not see
// it.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace ringside::inline second_order {

using MatrixProduct = std::function<at::Tensor(const at::Tensor& v)>;  // (n) -> A v (n)

struct RitzValue {
  double value = 0;
  double error = 0;  // an eigenvalue of A is no farther away
};

// From the largest down. Fewer than asked for where the start has parts along fewer directions.
std::vector<RitzValue> ritz_values(const MatrixProduct& times, const at::Tensor& start, int64_t products);

}  // namespace ringside::inline second_order
