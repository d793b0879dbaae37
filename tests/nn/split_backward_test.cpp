// A backward in two halves has the bits of a whole one, and the first half leaves the products' weights
// alone.
#include "ringside/nn/split_backward.h"

#include "catch.h"
#include "ringside/nn/product.h"
#include "ringside/tensor/torch_adapter.h"

using namespace ringside;

namespace {

struct Small {
  at::Tensor x, first, bias, second;
  explicit Small(at::ScalarType type) {
    at::manual_seed(3);
    const auto leaf = [&](at::IntArrayRef shape) {
      return at::randn(shape).to(type).set_requires_grad(true);
    };
    x = leaf({3, 5, 16}), first = leaf({24, 16}), bias = leaf({24}), second = leaf({8, 24});
  }
  at::Tensor loss() const {
    const at::Tensor hidden = at::silu(linear_product(x, first, bias));
    return linear_product(hidden, second).to(at::kFloat).square().sum();
  }
};

void check_equal(const at::Tensor& a, const at::Tensor& b) { CHECK(at::equal(a, b)); }

}  // namespace

TEST_CASE(
    "two halves of a backward have the bits of a whole one, in fp32 and bf16, added to what was there") {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const Small whole(type), split(type);
    for (int micro = 0; micro < 2; ++micro) {
      run_backward(whole.loss());
      WeightGradients later;
      at::Tensor loss;
      {
        const WeightGradients::Scope scope(later);
        loss = split.loss();
      }
      const at::Tensor before = split.second.grad().defined() ? split.second.grad().clone() : at::Tensor();
      run_backward(loss);
      check_equal(split.x.grad(), whole.x.grad());
      check_equal(split.bias.grad(), whole.bias.grad());
      if (before.defined())
        check_equal(split.second.grad(), before);
      else
        CHECK(!split.second.grad().defined());
      later.add();
    }
    check_equal(split.first.grad(), whole.first.grad());
    check_equal(split.second.grad(), whole.second.grad());
  }
}

TEST_CASE("a weight that is put off reports its gradient once, when it is added") {
  const Small small(at::kFloat);
  int arrived = 0;
  const GradientHook hook(small.first, [&] { ++arrived; });
  WeightGradients later;
  at::Tensor loss;
  {
    const WeightGradients::Scope scope(later);
    loss = small.loss();
  }
  run_backward(loss);
  CHECK(arrived == 0);
  later.add();
  CHECK(arrived == 1);
  later.add();
  CHECK(arrived == 1);
}
