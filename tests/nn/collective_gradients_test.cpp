#include "ringside/nn/collective_gradients.h"

#include "catch.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/nn/losses.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"

namespace ringside {
namespace {

constexpr int64_t kOwn = 2, kWide = 3;  // rows of a rank

// Row i of all ranks has another weight on each rank, so that no two ranks have the same loss.
at::Tensor weights_of(int rank, int ranks) {  // (ranks * kOwn, kWide)
  return at::arange(1, ranks * kOwn * kWide + 1, at::kDouble).view({ranks * kOwn, kWide}) * (rank + 1);
}

// The gradient of each rank's rows, under sum(y * weights of the rank).
std::vector<at::Tensor> gradients_of(int ranks, GatherBackward backward) {
  std::vector<at::Tensor> all(static_cast<size_t>(ranks));
  run_world({.ranks = ranks}, [&](World& world) {
    const at::Tensor x = at::full({kOwn, kWide}, double(world.rank()), at::kDouble).set_requires_grad(true);
    const at::Tensor y = gather_rows(x, world.group("dp"), backward, {"rows", ""});
    RINGSIDE_CHECK_EQ(y.size(0), ranks * kOwn);
    for (int64_t row = 0; row < y.size(0); ++row)
      RINGSIDE_CHECK_EQ(y[row][0].item<double>(), double(row / kOwn));
    RINGSIDE_CHECK_EQ(y.requires_grad(), backward != GatherBackward::kNone);
    if (backward == GatherBackward::kNone) return;
    run_backward((y * weights_of(world.rank(), ranks)).sum());
    all[size_t(world.rank())] = x.grad().clone();
  });
  return all;
}

}  // namespace

TEST_CASE(
    "a gather's backward is what was said of it: nothing, the own rows, or the sum of all ranks' rows") {
  for (const int ranks : {1, 2, 3}) {
    gradients_of(ranks, GatherBackward::kNone);
    const auto own = gradients_of(ranks, GatherBackward::kOwnRows),
               sums = gradients_of(ranks, GatherBackward::kReduceScatter);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto rows = [&](int of) { return weights_of(of, ranks).narrow(0, rank * kOwn, kOwn); };
      at::Tensor sum = at::zeros({kOwn, kWide}, at::kDouble);
      for (int of = 0; of < ranks; ++of) sum += rows(of);
      CHECK(own[size_t(rank)].equal(rows(rank)));
      CHECK(sums[size_t(rank)].equal(sum));
    }
  }
}

TEST_CASE("a sum over ranks has the sum of all ranks' gradients") {
  run_world({.ranks = 3}, [&](World& world) {
    const at::Tensor x = at::full({2}, double(world.rank()), at::kDouble).set_requires_grad(true);
    const at::Tensor y = sum_over_ranks(x, world.group("dp"), {"loss", ""});
    RINGSIDE_CHECK(y.equal(at::full({2}, 3.0, at::kDouble)), "the sum");
    run_backward((y * double(world.rank() + 1)).sum());
    RINGSIDE_CHECK(x.grad().equal(at::full({2}, 6.0, at::kDouble)), "its gradient");
  });
}

TEST_CASE("the contrastive loss is that of the plain formula, and so is its gradient") {
  const double tau = 0.3;
  const int64_t n = 2, m = 5, first = 3;
  const at::Tensor a = at::randn({n, 4}, at::kDouble).set_requires_grad(true),
                   b = at::randn({m, 4}, at::kDouble).set_requires_grad(true);
  const at::Tensor loss = contrastive_loss(a, b, first, tau);
  const at::Tensor p = at::softmax(at::matmul(a, b.t()).detach() / tau, 1);  // (n, m)
  double sum = 0;
  at::Tensor da = at::zeros_like(a);
  for (int64_t i = 0; i < n; ++i) {
    sum -= std::log(p[i][first + i].item<double>()) / double(n);
    for (int64_t j = 0; j < m; ++j)
      da[i] += b.detach()[j] * (p[i][j].item<double>() - (j == first + i)) / (tau * double(n));
  }
  CHECK(loss.item<double>() == Approx(sum).epsilon(1e-12));
  run_backward(loss);
  CHECK((a.grad() - da).abs().max().item<double>() < 1e-12);
  CHECK(normalized_rows(a.detach()).pow(2).sum(1).sub(1).abs().max().item<double>() < 1e-12);
  CHECK_THROWS_AS(contrastive_loss(a, b, 4, tau), UsageError);
}

}  // namespace ringside
