// Attention by tiles against all scores in memory, in fp64: values and gradients.
#include "ringside/nn/tiled_attention.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/tensor/peak_memory.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Attended {
  at::Tensor o;
  std::vector<at::Tensor> gradients;
};
Attended attend(
    int64_t T, at::ScalarType type,
    const std::function<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&)>& how) {
  std::vector<at::Tensor> leaves;
  for (const uint64_t seed : {1, 2, 3})
    leaves.push_back(random_tensor({2, 3, T, 8}, seed, 2.0, at::kDouble).to(type).set_requires_grad(true));
  const at::Tensor o = how(leaves[0], leaves[1], leaves[2]);
  run_backward((o * random_tensor({2, 3, T, 8}, 4, 1.0, at::kDouble).to(type)).sum());
  return {o.detach(), {leaves[0].grad(), leaves[1].grad(), leaves[2].grad()}};
}

}  // namespace

TEST_CASE(
    "attention by tiles has the values and gradients of attention with all scores, masks and windows too") {
  for (const auto& [causal, window] :
       {std::pair<bool, int64_t>{false, 0}, {true, 0}, {true, 1}, {true, 5}, {true, 16}, {true, 100}}) {
    for (const int64_t tile : {1, 4, 16, 64}) {
      for (const int64_t T : {1, 16, 37}) {
        INFO((causal ? "causal" : "bidirectional")
             << ", window " << window << ", tile " << tile << ", T " << T);
        const Attended all =
            attend(T, at::kDouble, [&, causal = causal, window = window](auto& q, auto& k, auto& v) {
              return attention_with_scores(q, k, v, {.causal = causal, .window = window});
            });
        const Attended tiled =
            attend(T, at::kDouble, [&, causal = causal, window = window](auto& q, auto& k, auto& v) {
              return tiled_attention(q, k, v, {tile, causal, window});
            });
        CHECK(max_distance(tiled.o, all.o) < 1e-13);
        for (size_t i = 0; i < 3; ++i) CHECK(max_distance(tiled.gradients[i], all.gradients[i]) < 1e-12);
      }
    }
  }
}

TEST_CASE("attention by tiles keeps bytes in proportion to T") {
  const auto peak = [](int64_t T) {
    const at::Tensor q = random_tensor({1, 1, T, 8}, 1).set_requires_grad(true);
    return double(peak_memory_of([&] { run_backward(tiled_attention(q, q, q, {.tile = 16}).sum()); }));
  };
  CHECK(peak(1024) / peak(512) < 2.1);
}

TEST_CASE("a window without a causal mask is refused") {
  const at::Tensor q = at::zeros({1, 1, 4, 2});
  CHECK_THROWS_AS(tiled_attention(q, q, q, {.causal = false, .window = 2}), UsageError);
}

// LibTorch's own: public since 2.0, private in 1.13.
#if __has_include(<ATen/ops/scaled_dot_product_attention.h>)
#define RINGSIDE_TORCH_ATTENTION at::scaled_dot_product_attention(q, k, v, {}, 0.0, causal)
#elif __has_include(<ATen/ops/_scaled_dot_product_attention.h>)
#define RINGSIDE_TORCH_ATTENTION \
  std::get<0>(at::_scaled_dot_product_attention(q, k, v, {}, 0.0, false, causal))
#endif

TEST_CASE("attention by tiles is LibTorch's scaled dot-product attention, values and gradients") {
#ifdef RINGSIDE_TORCH_ATTENTION
  for (const bool causal : {true, false}) {
    for (const auto& [type, within] : {std::pair{at::kDouble, 1e-12}, {at::kFloat, 2e-5}}) {
      const Attended theirs =
          attend(100, type, [&](auto& q, auto& k, auto& v) { return RINGSIDE_TORCH_ATTENTION; });
      const Attended mine = attend(100, type, [&](auto& q, auto& k, auto& v) {
        return tiled_attention(q, k, v, {.tile = 16, .causal = causal});
      });
      CHECK(max_distance(mine.o, theirs.o) < within);
      for (size_t i = 0; i < 3; ++i)
        CHECK(max_distance(mine.gradients[i], theirs.gradients[i]) < 10 * within);
    }
  }
#else
  WARN("not there: this LibTorch has no scaled_dot_product_attention");
#endif
}
