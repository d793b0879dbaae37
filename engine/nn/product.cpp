#include "ringside/nn/product.h"

#include <torch/csrc/autograd/custom_function.h>

#include "ringside/base/check.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What is allocated until it ends is an fp32 copy of a product.
struct ProductScope {
  const MemoryScope scope{Category::kOther, kSameUnit, kProductCopies};
};

bool is_transposed(const at::Tensor& t) { return t.stride(-1) != 1 && t.stride(-2) == 1; }

// (..., M, K) -> (Z, M, K) in fp32 by one copy. A transposed matrix stays transposed: gemm reads it so.
at::Tensor widened(const at::Tensor& t) {
  const at::Tensor rows = is_transposed(t) ? t.transpose(-1, -2) : t;
  const at::Tensor copy = rows.to(at::kFloat, false, false, at::MemoryFormat::Contiguous);
  const at::Tensor wide = copy.dim() == 2 ? copy.unsqueeze(0) : copy.flatten(0, -3);
  return is_transposed(t) ? wide.transpose(1, 2) : wide;
}

// (Z, M, K) x (Z, K, N) -> (Z, M, N) in fp32. A bias, (N), goes with Z = 1.
at::Tensor product(const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias = {}) {
  if (a.size(0) != 1) return at::bmm(a, b);
  const at::Tensor one = bias.defined() ? at::addmm(bias, a[0], b[0]) : at::mm(a[0], b[0]);
  return one.unsqueeze(0);
}

at::Tensor rounded(const at::Tensor& wide, at::IntArrayRef shape) {
  return wide.to(at::kBFloat16).view(shape);
}

at::Tensor bias_gradient(const at::Tensor& wide_output) {  // (1, M, N) -> (N)
  at::Tensor wide;
  {
    const ProductScope scope;
    wide = wide_output.sum(1);
  }
  return rounded(wide, {wide.size(1)});
}

// dA = dC B^T
at::Tensor gradient_of_a(const at::Tensor& output, const at::Tensor& wide_output, const at::Tensor& b) {
  std::vector<int64_t> shape = output.sizes().vec();
  shape.back() = b.size(-2);
  at::Tensor wide;
  {
    const ProductScope scope;
    wide = product(wide_output, widened(b).transpose(1, 2));
  }
  return rounded(wide, shape);
}

// dB = A^T dC, laid out in memory as B is: a weight's gradient then needs no copy to become its .grad.
at::Tensor gradient_of_b(const at::Tensor& output, const at::Tensor& wide_output, const at::Tensor& a,
                         bool transposed) {
  std::vector<int64_t> shape = a.sizes().vec();
  shape[shape.size() - 2] = transposed ? output.size(-1) : a.size(-1);
  shape.back() = transposed ? a.size(-1) : output.size(-1);
  at::Tensor wide;
  {
    const ProductScope scope;
    const at::Tensor wide_a = widened(a);
    wide = transposed ? product(wide_output.transpose(1, 2), wide_a)
                      : product(wide_a.transpose(1, 2), wide_output);
  }
  const at::Tensor gradient = rounded(wide, shape);
  return transposed ? gradient.transpose(-1, -2) : gradient;
}

struct BFloat16Product : torch::autograd::Function<BFloat16Product> {
  // a: (..., M, K), b: (..., K, N), bias: none or one of (N). A list, since LibTorch 1.13 and later ones
  // differ in the type of an optional tensor.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b,
                            at::TensorList bias) {
    // As LibTorch does, keep an operand only where the other one's gradient needs it.
    context->save_for_backward(
        {b.requires_grad() ? a : at::Tensor(), a.requires_grad() ? b : at::Tensor()});
    context->saved_data["transposed"] = is_transposed(b);
    context->saved_data["bias"] = !bias.empty() && bias[0].requires_grad();
    std::vector<int64_t> shape = a.sizes().vec();
    shape.back() = b.size(-1);
    at::Tensor wide;
    {
      const ProductScope scope;
      wide = product(widened(a), widened(b), bias.empty() ? at::Tensor() : bias[0].to(at::kFloat));
    }
    return rounded(wide, shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &a = saved[0], &b = saved[1], &output = gradients[0];
    at::Tensor wide;  // dC
    {
      const ProductScope scope;
      wide = widened(output);
    }
    variable_list result(3);
    if (context->saved_data["bias"].toBool()) result[2] = bias_gradient(wide);
    if (b.defined()) result[0] = gradient_of_a(output, wide, b);
    if (a.defined()) result[1] = gradient_of_b(output, wide, a, context->saved_data["transposed"].toBool());
    return result;
  }
};

at::Tensor multiply(const at::Tensor& a, const at::Tensor& b, at::TensorList bias) {
  return BFloat16Product::apply(a, b, bias);
}

}  // namespace

at::Tensor linear_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (x.scalar_type() != at::kBFloat16) return at::linear(x, weight, bias);
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(0);
  const at::Tensor rows = x.flatten(0, -2);
  return multiply(rows, weight.t(), bias.defined() ? at::TensorList(bias) : at::TensorList()).view(shape);
}

at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != at::kBFloat16) return at::matmul(a, b);
  RINGSIDE_CHECK(a.sizes().slice(0, a.dim() - 2).equals(b.sizes().slice(0, b.dim() - 2)),
                 "the leading dimensions of two factors differ");
  return multiply(a, b, {});
}

}  // namespace ringside
