// A backward pass in two: the gradient of the input at once, those of the products' weights later, when
// nobody waits for them. Qi et al. 2023, "Zero Bubble Pipeline Parallelism", arXiv:2401.10241, section 2.
//
//   y = x W^T + b      now: dx = dy W, db = sum over rows of dy      later: dW = dy^T x
//
// x and dy are kept until then. Everything else that has a gradient (norms, biases, an embedding) gets it
// now, for it costs little. Both halves are LibTorch's own operations on the same operands, so no bit
// changes.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <vector>

namespace ringside::inline nn {

// Of one forward pass.
class WeightGradients {
 public:
  WeightGradients();

  // While it lives, products of this thread (nn/product.h) put their weights' gradients off.
  class Scope {
   public:
    explicit Scope(WeightGradients& to);
    ~Scope();
    Scope& operator=(Scope&&) = delete;

   private:
    WeightGradients* const before_;
  };
  static WeightGradients* current();  // null: none is put off

  // Once backward has run: adds them to the weights' .grad, in the order in which backward came to them, and
  // lets go of what was kept.
  void add();

  // (..., I), (O, I), (O) or undefined -> (..., O). x must require a gradient.
  at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

  struct PutOff;

 private:
  std::shared_ptr<std::vector<std::shared_ptr<PutOff>>> put_off_;  // the graph's nodes add to it
};

}  // namespace ringside::inline nn
