// Products in bf16: what they compute, what they keep, and that LibTorch's own bf16 product is not among
// them.
#include "ringside/nn/product.h"

#include <c10/core/GradMode.h>

#include "bf16_gemms.h"
#include "catch.h"
#include "ringside/base/check.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr auto kBf16 = at::kBFloat16;

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes().equals(b.sizes()) &&
         a.contiguous().view(at::kShort).equal(b.contiguous().view(at::kShort));
}

// Whole numbers from -8 to 8: a sum of hundreds of their products is exact in fp32 and in double.
at::Tensor whole_numbers(at::IntArrayRef shape, uint64_t seed) {
  return random_tensor(shape, seed, 3.0).round().clamp(-8, 8).to(kBf16);
}

at::Tensor once_rounded(const at::Tensor& exact) { return exact.to(at::kFloat).to(kBf16); }

struct Operands {
  at::Tensor x = whole_numbers({2, 3, 300}, 1).set_requires_grad(true);
  at::Tensor weight = whole_numbers({5, 300}, 2).set_requires_grad(true);
  at::Tensor bias = whole_numbers({5}, 3).set_requires_grad(true);
};

// The gradient of a sum in which every element of the output has its own whole weight.
void run_weighted_backward(const at::Tensor& output, const at::Tensor& weights) {
  run_backward((output * weights).sum());
}

at::Tensor in_double(const at::Tensor& t) { return t.detach().to(at::kDouble).set_requires_grad(true); }

}  // namespace

TEST_CASE("a bf16 linear adds up exactly and rounds once, forward and backward") {
  const Operands in;
  const at::Tensor weights = whole_numbers({2, 3, 5}, 4);
  const at::Tensor output = linear_product(in.x, in.weight, in.bias);
  run_weighted_backward(output, weights);

  const at::Tensor x = in_double(in.x), weight = in_double(in.weight), bias = in_double(in.bias);
  const at::Tensor exact = at::linear(x, weight, bias);
  run_weighted_backward(exact, weights.to(at::kDouble));
  // More than 8 bits are needed, so that a sum rounded on the way would differ.
  CHECK_FALSE(once_rounded(exact).to(at::kDouble).equal(exact));
  CHECK(same_bits(output, once_rounded(exact)));
  CHECK(same_bits(in.x.grad(), once_rounded(x.grad())));
  CHECK(same_bits(in.weight.grad(), once_rounded(weight.grad())));
  CHECK(same_bits(in.bias.grad(), once_rounded(bias.grad())));
}

TEST_CASE("a bf16 matmul adds up exactly and rounds once, whatever the operands' strides") {
  const bool transposed = GENERATE(false, true);
  const at::Tensor a =
      whole_numbers({2, 7, 3, 300}, 1).transpose(1, 2).set_requires_grad(true);  // (2,3,7,300)
  const at::Tensor b =
      (transposed ? whole_numbers({2, 3, 5, 300}, 2).transpose(2, 3) : whole_numbers({2, 3, 300, 5}, 2))
          .set_requires_grad(true);
  const at::Tensor weights = whole_numbers({2, 3, 7, 5}, 3);
  const at::Tensor output = matrix_product(a, b);
  run_weighted_backward(output, weights);

  const at::Tensor a64 = in_double(a), b64 = in_double(b);
  const at::Tensor exact = at::matmul(a64, b64);
  run_weighted_backward(exact, weights.to(at::kDouble));
  CHECK(same_bits(output, once_rounded(exact)));
  CHECK(same_bits(a.grad(), once_rounded(a64.grad())));
  CHECK(same_bits(b.grad(), once_rounded(b64.grad())));
}

TEST_CASE("products without rows, and of one matrix alone, have their shapes") {
  const at::Tensor weight = at::ones({5, 4}, kBf16), none = at::ones({0, 3, 4}, kBf16);
  CHECK(linear_product(none, weight).sizes().equals({0, 3, 5}));
  CHECK(linear_product(at::ones({2, 4}, kBf16), weight).sizes().equals({2, 5}));
  CHECK(matrix_product(at::ones({0, 3, 4}, kBf16), at::ones({0, 4, 2}, kBf16)).sizes().equals({0, 3, 2}));
  CHECK(matrix_product(at::ones({3, 4}, kBf16), at::ones({4, 2}, kBf16)).sizes().equals({3, 2}));
  CHECK_THROWS_AS(matrix_product(at::ones({2, 3, 4}, kBf16), at::ones({1, 4, 2}, kBf16)), InvariantError);
}

TEST_CASE("in fp32 both are LibTorch's own products, bit for bit") {
  const at::Tensor x = random_tensor({4, 6, 30}, 1), weight = random_tensor({9, 30}, 2),
                   bias = random_tensor({9}, 3), b = random_tensor({4, 30, 5}, 4);
  CHECK(linear_product(x, weight, bias).equal(at::linear(x, weight, bias)));
  CHECK(matrix_product(x, b).equal(at::matmul(x, b)));
}

TEST_CASE("autograd keeps bf16, and the fp32 copies are booked by name and freed at once") {
  constexpr int64_t M = 24, K = 40, N = 16;
  const auto store = TraceStore::create("test");
  Recorder* recorder = store->add_section("test", {}, 1).front();
  MemoryHook hook(recorder);
  {
    const MemoryScope scope(Category::kActivations, "layer 3");
    const at::Tensor x = at::ones({2, M / 2, K}, kBf16).set_requires_grad(true);
    const at::Tensor weight = at::ones({N, K}, kBf16).set_requires_grad(true);
    const at::Tensor bias = at::ones({N}, kBf16).set_requires_grad(true);
    const int64_t before = hook.live_total();
    const at::Tensor output = linear_product(x, weight, bias);
    CHECK(hook.live_total() - before == M * N * 2);
    CHECK(hook.live(Category::kOther) == 0);
    run_backward(output.sum());
    CHECK(hook.live(Category::kOther) == 0);
    CHECK(weight.grad().is_contiguous());
    // The three gradients, and the output.
    CHECK(hook.live_total() - before == 2 * (M * N + M * K + N * K + N));
  }
  const Trace trace = store->snapshot();
  int64_t peak = 0;
  for (const MemoryEvent& event : trace.find("test")->memory(0, Category::kOther)) {
    CHECK(store->name(event.tensor) == kProductCopies);
    CHECK(store->name(event.unit) == "layer 3");
    peak = std::max(peak, event.live_bytes);
  }
  CHECK(peak > 0);
  CHECK(peak <= 4 * (M * K + K * N + M * N + N));
}

TEST_CASE("an operand is kept only where the other's gradient needs it") {
  MemoryHook hook(nullptr);
  const at::Tensor weight = at::ones({6, 5}, kBf16).set_requires_grad(true);
  const auto kept_by = [&](const at::Tensor& w) {
    at::Tensor x = at::ones({7, 5}, kBf16), output;
    output = linear_product(x + 1, w) + at::ones({1}, kBf16).set_requires_grad(true);
    x.reset();
    return hook.live_total();
  };
  CHECK(kept_by(weight) - kept_by(weight.detach()) >= 7 * 5 * 2);
}

TEST_CASE("no product of the classifier reaches LibTorch's bf16 product") {
  Classifier model(small_config(), 12);
  fill_with_noise(model.parameters(), 5, kBf16);
  const Bf16Gemms gemms;
  const Batch batch = small_batch();
  const ModelOutput output = model.forward(batch, {.wanted = {.hidden_states = true, .attentions = true}});
  run_backward(weighted_loss(output.logits, batch));
  CHECK(gemms.seen() > 0);
  CHECK(gemms.found() == std::vector<std::string>{});
}

TEST_CASE("planted: a product that bypasses the two is seen, backward as well") {
  // oneDNN refuses bf16 on some CPUs; LibTorch's loop does not.
  const bool before = at::globalContext().userEnabledMkldnn();
  at::globalContext().setUserEnabledMkldnn(false);
  const Operands in;
  const Bf16Gemms gemms;
  const at::Tensor output = at::matmul(in.x, in.weight.t());
  const size_t forward = gemms.found().size();
  CHECK(forward > 0);
  run_backward(output.sum());
  CHECK(gemms.found().size() > forward);
  at::globalContext().setUserEnabledMkldnn(before);
}
