#include "ringside/second_order/hessian_free.h"

#include <cmath>

namespace ringside::inline second_order {

HessianFreeStep hessian_free_step(const Derivatives& at, const HessianFreeOptions& options) {
  const auto dot = [](const at::Tensor& a, const at::Tensor& b) { return a.dot(b).item<double>(); };
  HessianFreeStep step;
  at::Tensor d = at::zeros_like(at.gradient());
  at::Tensor r = -at.gradient();  // the residual -g - (H + lambda I) d
  at::Tensor p = r.clone();       // the direction, conjugate to those before it
  double rr = dot(r, r);
  const double whole = std::sqrt(rr);
  while (whole > 0 && std::sqrt(rr) > options.tolerance * whole) {
    if (step.products == options.most_products) {
      step.end = HessianFreeEnd::kMostProducts;
      break;
    }
    const at::Tensor Ap = at.hessian_times(p) + options.damping * p;
    ++step.products;
    const double curvature = dot(p, Ap);
    if (curvature <= 0) {
      if (step.products == 1) d = r;
      step.end = HessianFreeEnd::kNoCurvature;
      break;
    }
    const double alpha = rr / curvature;
    d = d + alpha * p;
    r = r - alpha * Ap;
    const double next = dot(r, r);
    p = r + next / rr * p;
    rr = next;
  }
  step.direction = d;
  return step;
}

}  // namespace ringside::inline second_order
