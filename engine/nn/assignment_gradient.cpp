#include "ringside/nn/assignment_gradient.h"

#include <algorithm>
#include <cmath>

#include "ringside/tensor/torch_adapter.h"

namespace ringside::inline nn {

double GradientEstimates::entropy() const {
  return -at::xlogy(weights, weights).sum(1).mean().item<double>();
}
double GradientEstimates::share_above(double limit) const {
  return weights.amax(1).gt(limit).to(at::kDouble).mean().item<double>();
}
at::Tensor GradientEstimates::lengths() const { return of_scores.norm(2, 1); }

at::Tensor GroupChoice::exact_gradient() const {
  const at::Tensor p = at::softmax(scores, 0);
  const at::Tensor f = (targets.unsqueeze(0) - centres.unsqueeze(1)).pow(2).sum(2);  // (M, N)
  return p * (f - (p * f).sum(0, true));
}

GradientEstimates GroupChoice::estimates(const AssignmentRule& rule) const {
  const int64_t draws = rule.noise.defined() ? rule.noise.size(0) : 1;
  const at::Tensor leaf =
      scores.expand({draws, scores.size(0), scores.size(1)}).clone().set_requires_grad(true);
  AssignmentRule soft = rule;
  soft.hard = false;
  const at::Tensor weights = assign_to_groups(leaf.detach(), soft);
  const at::Tensor said = at::matmul(assign_to_groups(leaf, rule).transpose(1, 2), centres);  // (R, N, D)
  run_backward((targets - said).pow(2).sum());
  return {weights, leaf.grad()};
}

EstimatorQuality quality_of(const at::Tensor& estimates, const at::Tensor& exact) {
  const auto draws = double(estimates.size(0));
  const at::Tensor mean = estimates.mean(0);
  const double variance = draws > 1 ? estimates.var(0).sum().item<double>() : 0;
  const auto length = [&](const at::Tensor& of) {
    return std::sqrt(std::max(0.0, of.pow(2).sum().item<double>() - variance / draws));
  };
  return {variance > 0 ? length(mean) / std::sqrt(variance) : 0,
          length(mean - exact) / exact.norm().item<double>()};
}

}  // namespace ringside::inline nn
