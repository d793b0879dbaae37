// Newton's method without a Hessian: conjugate gradients solve
//
//   (H + lambda I) d = -g          w <- w + d
//
// and need of H only products with vectors. Memory: four vectors, and the graph of the gradient. Hestenes,
// Stiefel 1952, doi:10.6028/jres.049.044; Martens 2010, "Deep learning via Hessian-free optimization".
//
// Where a direction p has curvature p.(H + lambda I)p <= 0 there is no minimum along it: the step is then
// what was reached so far, in the first iteration -g. Nocedal, Wright 2006, "Numerical Optimization",
// algorithm 7.1.
#pragma once

#include "ringside/second_order/derivatives.h"

namespace ringside::inline second_order {

struct HessianFreeOptions {
  double damping = 0;           // lambda
  double tolerance = 1e-6;      // |(H + lambda I) d + g| / |g|
  int64_t most_products = 250;  // of the Hessian and a vector
};

enum class HessianFreeEnd : uint8_t { kSolved, kNoCurvature, kMostProducts };

struct HessianFreeStep {
  at::Tensor direction;  // (n) d
  int64_t products = 0;
  HessianFreeEnd end = HessianFreeEnd::kSolved;
};

HessianFreeStep hessian_free_step(const Derivatives& at, const HessianFreeOptions& options = {});

}  // namespace ringside::inline second_order
