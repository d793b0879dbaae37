// Hessian-vector products where the gradient has no graph of its own: a backward that is written out on plain
// memory, as the norms' is (nn/norm.h), cannot be differentiated again by autograd.
//
//   H v = |v| (g(w + h u) - g(w - h u)) / 2h        u = v / |v|
//
// Two gradients a product. The error is h^2/6 of the loss's third derivative along u, and the rounding of g
// over h: take fp64 parameters. Parts of a loss that are fp32 all the same, as the classifier's attention and
// logits, leave an error of about 1e-4 of the product. Where autograd can, Derivatives
// (second_order/derivatives.h) is exact.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace ringside::inline second_order {

// `loss`: of the parameters as they stand. They are moved, and hold the bits they had when this returns or
// throws; a graph that was built before is spent. DerivativeError where a gradient is not finite.
at::Tensor hessian_times_by_differences(const std::function<at::Tensor()>& loss,
                                        const std::vector<at::Tensor>& parameters, const at::Tensor& v,
                                        double h = 1e-3);

}  // namespace ringside::inline second_order
