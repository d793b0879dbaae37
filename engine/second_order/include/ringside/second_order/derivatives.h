// The first and second derivatives of a loss at one point, by autograd.
//
//   g = dL/dw                   (n)     a backward pass whose own graph is kept
//   H v = d(g . v)/dw           (n)     a backward pass through that graph; H is not stored
//   H = (H e_1, ..., H e_n)     (n, n)  n such products, n^2 numbers
//
// Pearlmutter 1994, "Fast exact multiplication by the Hessian", doi:10.1162/neco.1994.6.1.147: the product is
// exact and costs a few passes. He goes forward over backward; backward over backward gives the same vector.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/base/error.h"

namespace ringside::inline second_order {

// A loss, gradient or product that is NaN or infinite: no step follows from it.
struct DerivativeError : Error {
  explicit DerivativeError(const std::string& message) : Error(ExitCode::kCheckFailed, message) {}
};

// The values themselves. DerivativeError, naming `what`, where one is not finite.
at::Tensor require_finite(const at::Tensor& values, const char* what);

class Derivatives {
 public:
  // loss: (), of a forward pass over the parameters, which are leaves that require gradients. One that the
  // loss does not use has a gradient of 0.
  Derivatives(const at::Tensor& loss, std::vector<at::Tensor> parameters);

  int64_t size() const { return gradient_.numel(); }        // n
  double loss() const { return loss_; }                     //
  const at::Tensor& gradient() const { return gradient_; }  // (n) all parameters, one behind the other
  const std::vector<at::Tensor>& parameters() const { return parameters_; }

  at::Tensor hessian_times(const at::Tensor& v) const;  // (n) -> (n)
  at::Tensor hessian() const;                           // (n, n)

 private:
  std::vector<at::Tensor> parameters_;
  at::Tensor with_graph_;  // (n) the gradient as a function of the parameters
  at::Tensor gradient_;    // (n) its values
  double loss_ = 0;
};

// (n) of a loss (), one parameter behind the other, without a graph; 0 where the loss does not use one.
at::Tensor gradient_of(const at::Tensor& loss, const std::vector<at::Tensor>& parameters);

// w <- w + rate d, each parameter by its part of the direction. (n)
void add_direction(const std::vector<at::Tensor>& parameters, const at::Tensor& direction, double rate = 1);

}  // namespace ringside::inline second_order
