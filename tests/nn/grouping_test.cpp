// The grouping block against loops over its equation, in fp64, and its three ways to assign.
#include "ringside/nn/grouping.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kM = 3, kN = 5, kD = 4;

at::Tensor wide_numbers(at::IntArrayRef shape, uint64_t seed) {
  return random_tensor(shape, seed, 2.0, at::kDouble);
}

// d(sum of the weights times u)/dS
at::Tensor score_gradient(const at::Tensor& scores, const at::Tensor& u, const AssignmentRule& rule) {
  const at::Tensor leaf = scores.detach().clone().set_requires_grad(true);
  run_backward((assign_to_groups(leaf, rule) * u).sum());
  return leaf.grad();
}

}  // namespace

TEST_CASE("the grouping block: each group is its token and a weighted mean of values") {
  const at::Tensor g = wide_numbers({kM, kD}, 1), x = wide_numbers({2, kN, kD}, 2);
  const GroupingWeights w{wide_numbers({kD, kD}, 3), wide_numbers({kD, kD}, 4), wide_numbers({kD, kD}, 5),
                          wide_numbers({kD, kD}, 6)};
  const GroupedTokens grouped = group_tokens(g, x, w, {.tau = 0.7});
  CHECK(max_distance(grouped.weights.sum(1), at::ones({2, kN}, at::kDouble)) < 1e-14);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t i = 0; i < kM; ++i) {
      at::Tensor sum = at::zeros({kD}, at::kDouble);
      double of_weights = 1;
      for (int64_t j = 0; j < kN; ++j) {
        double mine = 0, all = 0;
        for (int64_t k = 0; k < kM; ++k) {
          const double score = at::dot(at::mv(w.q, g[k]), at::mv(w.k, x[b][j])).item<double>() / 2;
          all += std::exp(score / 0.7);
          if (k == i) mine = std::exp(score / 0.7);
        }
        sum = sum + mine / all * at::mv(w.v, x[b][j]);
        of_weights += mine / all;
      }
      CHECK(max_distance(grouped.groups[b][i], g[i] + at::mv(w.o, sum / of_weights)) < 1e-12);
    }
}

TEST_CASE("straight-through is 0 or 1 forward, and backward as soft; an empty group stays finite") {
  const at::Tensor scores = wide_numbers({2, kM, kN}, 1), u = wide_numbers({2, kM, kN}, 2);
  const at::Tensor noise = gumbel_noise({2, kM, kN}, 3, "e").to(at::kDouble);
  for (const at::Tensor& e : {at::Tensor(), noise}) {
    const at::Tensor hard = assign_to_groups(scores, {0.3, true, e});
    CHECK(hard.sum(1).eq(1).all().item<bool>());
    CHECK(hard.amax(1).eq(1).all().item<bool>());
    const at::Tensor noisy = e.defined() ? scores + e : scores;
    CHECK(hard.argmax(1).equal(noisy.argmax(1)));
    CHECK(score_gradient(scores, u, {0.3, true, e}).equal(score_gradient(scores, u, {0.3, false, e})));
  }
  const double step = 1e-6;  // by differences
  const at::Tensor moved = scores.clone();
  moved[1][2][3] += step;
  const auto loss = [&](const at::Tensor& s) {
    return (assign_to_groups(s, {0.3}) * u).sum().item<double>();
  };
  CHECK((loss(moved) - loss(scores)) / step ==
        Approx(score_gradient(scores, u, {0.3})[1][2][3].item<double>()).margin(1e-4));
  const at::Tensor g = wide_numbers({kM, kD}, 1), none = at::zeros({kD, kD}, at::kDouble);
  const at::Tensor x = wide_numbers({1, kN, kD}, 2);
  CHECK(group_tokens(g, x, {none, none, x[0].narrow(0, 0, kD), none}, {.hard = true})
            .groups.isfinite()
            .all()
            .item<bool>());
}

TEST_CASE(
    "with Gumbel noise the largest score is a group as often as the softmax says, at every temperature") {
  const at::Tensor scores = at::tensor({0.0, 1.0, -1.0, 0.5}, at::kDouble).unsqueeze(1);
  const at::Tensor noise = gumbel_noise({20000, 4, 1}, 1, "e").to(at::kDouble);
  const at::Tensor expected = at::softmax(scores, 0);
  for (const double tau : {5.0, 0.1})
    CHECK(max_distance(assign_to_groups(scores, {tau, true, noise}).mean(0), expected) < 0.015);
}

TEST_CASE("a temperature of 0 is refused") {
  for (const double tau : {0.0, -1.0, double(NAN)})
    CHECK_THROWS_AS(assign_to_groups(at::zeros({2, 2}), {tau}), UsageError);
}
