#include "ringside/second_order/derivatives.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include "ringside/base/check.h"

namespace ringside::inline second_order {
namespace {

// (n): 0 where there is no gradient.
at::Tensor flattened(const std::vector<at::Tensor>& gradients, const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> parts;
  for (size_t i = 0; i < parameters.size(); ++i)
    parts.push_back(gradients[i].defined() ? gradients[i].reshape({-1})
                                           : at::zeros_like(parameters[i].detach()).view({-1}));
  return at::cat(parts);
}

}  // namespace

at::Tensor require_finite(const at::Tensor& values, const char* what) {
  if (at::isfinite(values).all().item<bool>()) return values;
  throw DerivativeError(std::string(what) +
                        " is not finite: take a smaller step, or look for NaN in the data");
}

Derivatives::Derivatives(const at::Tensor& loss, std::vector<at::Tensor> parameters)
    : parameters_(std::move(parameters)) {
  RINGSIDE_CHECK(!parameters_.empty() && loss.dim() == 0, "a scalar loss of some parameters is wanted");
  loss_ = require_finite(loss.detach(), "the loss").item<double>();
  with_graph_ = flattened(torch::autograd::grad({loss}, parameters_, {}, /*retain_graph=*/true,
                                                /*create_graph=*/true, /*allow_unused=*/true),
                          parameters_);
  gradient_ = require_finite(with_graph_.detach(), "the gradient");
}

at::Tensor Derivatives::hessian_times(const at::Tensor& v) const {
  RINGSIDE_CHECK_EQ(v.numel(), size());
  if (!with_graph_.requires_grad()) return at::zeros_like(gradient_);  // the loss is linear
  const auto product =
      torch::autograd::grad({with_graph_}, parameters_, {v.reshape({-1})}, /*retain_graph=*/true,
                            /*create_graph=*/false, /*allow_unused=*/true);
  return require_finite(flattened(product, parameters_), "a Hessian-vector product");
}

at::Tensor Derivatives::hessian() const {
  at::Tensor hessian = at::empty({size(), size()}, gradient_.options());
  at::Tensor unit = at::zeros_like(gradient_);
  for (int64_t i = 0; i < size(); ++i) {
    unit[i] = 1;
    hessian[i].copy_(hessian_times(unit));
    unit[i] = 0;
  }
  return hessian;
}

at::Tensor gradient_of(const at::Tensor& loss, const std::vector<at::Tensor>& parameters) {
  return flattened(torch::autograd::grad({loss}, parameters, {}, /*retain_graph=*/false,
                                         /*create_graph=*/false, /*allow_unused=*/true),
                   parameters);
}

void add_direction(const std::vector<at::Tensor>& parameters, const at::Tensor& direction, double rate) {
  const at::NoGradGuard no_graph;
  int64_t begin = 0;
  for (at::Tensor parameter : parameters) {
    parameter.add_(direction.narrow(0, begin, parameter.numel()).view(parameter.sizes()), rate);
    begin += parameter.numel();
  }
  RINGSIDE_CHECK_EQ(begin, direction.numel());
}

}  // namespace ringside::inline second_order
