// Matrix products, forward and backward: every product of the models goes through these two.
//
// fp32 is LibTorch's own product. bf16 is multiplied as tensor cores do: operands rounded to bf16, products
// and sums in fp32, the result rounded to bf16 once,
//
//   C = bf16( fp32(A) fp32(B) + fp32(bias) )
//   dA = bf16( fp32(dC) fp32(B)^T )    dB = bf16( fp32(A)^T fp32(dC) )
//   dbias = bf16( column sums of fp32(dC) )
//
// LibTorch's own bf16 product is a scalar loop on a CPU without AVX-512 (LibTorch 1.13, 768x256x1056 on one
// thread: 766 ms, 15 ms in fp32), so it is not used on any CPU, and the bits do not depend on which it is.
// Autograd keeps A and B in bf16. The fp32 copies live for one product, or for both of a backward, and are
// booked as "other", tensor kProductCopies: 4 (MK + KN + MN) bytes at once, and 4 N for a bias's gradient.
// On a GPU LibTorch's product is the tensor cores' own, and nothing is copied.
#pragma once

#include <ATen/ATen.h>

#include <string_view>

namespace ringside::inline nn {

inline constexpr std::string_view kProductCopies = "fp32 copies of one product";

// x W^T + bias. x: (..., I), weight: (O, I), bias: (O) or undefined -> (..., O)
at::Tensor linear_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

// a: (..., M, K), b: (..., K, N) with the same leading dimensions -> (..., M, N)
at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b);

}  // namespace ringside::inline nn
