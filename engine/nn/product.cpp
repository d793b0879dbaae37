#include "ringside/nn/product.h"

#include <c10/core/GradMode.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <cstdint>

#include "graph_node.h"
#include "ringside/base/check.h"
#include "ringside/nn/split_backward.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside::inline nn {
namespace {

// Elements of both operands and the result of (..., M, K) x (..., K, N).
int64_t elements_of(const at::Tensor& a, const at::Tensor& b) {
  return a.numel() + b.numel() + a.numel() / std::max<int64_t>(1, a.size(-1)) * b.size(-1);
}

// A GPU's tensor cores multiply bf16 as product.h says, without copies.
bool is_widened(const at::Tensor& factor) {
  return factor.scalar_type() == at::kBFloat16 && !factor.is_cuda();
}

// cuBLAS may take a kernel that adds in another order where a factor is not aligned, as a parameter within a
// bucket may be. On a GPU every stage multiplies by a copy then, and has the bits of who keeps parameters
// apart.
at::Tensor aligned(const at::Tensor& parameter) {
  constexpr uintptr_t kBytes = 16;
  if (!parameter.defined() || !parameter.is_cuda() || parameter.scalar_type() != at::kBFloat16)
    return parameter;
  return reinterpret_cast<uintptr_t>(parameter.data_ptr()) % kBytes == 0 ? parameter : parameter.clone();
}

bool is_transposed(const at::Tensor& t) { return t.stride(-1) != 1 && t.stride(-2) == 1; }

// The fp32 copies of one product, in one allocation.
class Copies {
 public:
  Copies(int64_t elements, const at::Tensor& beside) {
    const MemoryScope scope(Category::kOther, kSameUnit, kProductCopies);
    flat_ = at::empty({elements}, beside.options().dtype(at::kFloat));
  }

  at::Tensor take(at::IntArrayRef shape) {
    const int64_t count = c10::multiply_integers(shape);
    const at::Tensor taken = flat_.narrow(0, used_, count).view(shape);
    used_ += count;
    return taken;
  }

  // (..., M, K) -> (Z, M, K) in fp32. A transposed matrix stays transposed: gemm reads it so.
  at::Tensor widen(const at::Tensor& t) {
    const at::Tensor rows = is_transposed(t) ? t.transpose(-1, -2) : t;
    at::Tensor wide = take(rows.sizes()).copy_(rows);
    wide = wide.dim() == 2 ? wide.unsqueeze(0) : wide.flatten(0, -3);
    return is_transposed(t) ? wide.transpose(1, 2) : wide;
  }

  // (Z, M, K) x (Z, K, N) -> (Z, M, N)
  at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) {
    at::Tensor result = take({a.size(0), a.size(1), b.size(2)});
    if (result.size(0) != 1) return at::bmm_out(result, a, b);
    at::Tensor one = result[0];
    at::mm_out(one, a[0], b[0]);
    return result;
  }

  int64_t used() const { return used_; }
  void rewind(int64_t used) { used_ = used; }  // what was taken since may be overwritten

 private:
  at::Tensor flat_;
  int64_t used_ = 0;
};

at::Tensor rounded(const at::Tensor& wide, at::IntArrayRef shape) {
  return wide.to(at::kBFloat16).view(shape);
}

at::Tensor bias_gradient(const at::Tensor& wide_output) {  // (1, M, N) -> (N)
  at::Tensor wide;
  {
    const MemoryScope scope(Category::kOther, kSameUnit, kProductCopies);
    wide = wide_output.sum(1);
  }
  return rounded(wide, {wide.size(1)});
}

// dA = dC B^T
at::Tensor gradient_of_a(Copies& copies, const at::Tensor& wide_output, const at::Tensor& b) {
  const std::vector<int64_t> shape = with_last(b, {wide_output.size(1), b.size(-2)});
  return rounded(copies.multiply(wide_output, copies.widen(b).transpose(1, 2)), shape);
}

// dB = A^T dC, laid out in memory as B is: a weight's gradient then needs no copy to become its .grad.
at::Tensor gradient_of_b(Copies& copies, const at::Tensor& wide_output, const at::Tensor& a,
                         bool transposed) {
  const int64_t k = a.size(-1), n = wide_output.size(2);
  const at::Tensor wide_a = copies.widen(a);
  if (!transposed) return rounded(copies.multiply(wide_a.transpose(1, 2), wide_output), with_last(a, {k, n}));
  return rounded(copies.multiply(wide_output.transpose(1, 2), wide_a), with_last(a, {n, k}))
      .transpose(-1, -2);
}

struct BFloat16Product : torch::autograd::Function<BFloat16Product> {
  // a: (..., M, K), b: (..., K, N), bias: none or one of (N), then Z = 1
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b,
                            at::TensorList bias) {
    const int64_t elements = elements_of(a, b);
    Copies copies(elements, a);
    // As LibTorch does, keep an operand only where the other one's gradient needs it.
    context->save_for_backward({b.requires_grad() ? a : at::Tensor(), a.requires_grad() ? b : at::Tensor()});
    context->saved_data["transposed"] = is_transposed(b);
    context->saved_data["elements"] = elements;
    context->saved_data["bias"] = !bias.empty() && bias[0].requires_grad();
    const at::Tensor wide_a = copies.widen(a), wide_b = copies.widen(b);
    at::Tensor wide = copies.multiply(wide_a, wide_b);
    if (!bias.empty()) wide.add_(bias[0]);
    return rounded(wide, with_last(a, {b.size(-1)}));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &a = saved[0], &b = saved[1];
    Copies copies(context->saved_data["elements"].toInt(), gradients[0]);
    const at::Tensor wide = copies.widen(gradients[0]);  // dC, (Z, M, N)
    const int64_t used = copies.used();
    variable_list result(3);
    // Half of a backward asks for some of them alone (nn/split_backward.h).
    const auto is_asked = [&](size_t input) { return context->needs_input_grad(input); };
    if (context->saved_data["bias"].toBool() && is_asked(2)) result[2] = bias_gradient(wide);
    if (b.defined() && is_asked(0)) result[0] = gradient_of_a(copies, wide, b);
    copies.rewind(used);
    if (a.defined() && is_asked(1))
      result[1] = gradient_of_b(copies, wide, a, context->saved_data["transposed"].toBool());
    return result;
  }
};

at::Tensor multiply(const at::Tensor& a, const at::Tensor& b, at::TensorList bias) {
  return BFloat16Product::apply(a, b, bias);
}

}  // namespace

at::Tensor linear_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (WeightGradients* const later = WeightGradients::current();
      later != nullptr && at::GradMode::is_enabled() && x.requires_grad() && weight.requires_grad() &&
      weight.is_leaf())
    return later->product(x, weight, bias);
  if (!is_widened(x)) return at::linear(x, aligned(weight), aligned(bias));
  const at::Tensor product = multiply(x.flatten(0, -2), weight.t(), none_or_one(bias));
  return product.view(with_last(x, {weight.size(0)}));
}

at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b) {
  if (!is_widened(a)) return at::matmul(a, b);
  RINGSIDE_CHECK(a.sizes().slice(0, a.dim() - 2).equals(b.sizes().slice(0, b.dim() - 2)),
                 "the leading dimensions of two factors differ");
  return multiply(a, b, {});
}

}  // namespace ringside::inline nn
