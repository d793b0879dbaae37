// The gradients of an assignment against loops over their equations, in fp64.
#include "ringside/nn/assignment_gradient.h"

#include "catch.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Choice {
  static constexpr int64_t M = 3, N = 2, D = 2, R = 4;
};

at::Tensor choice_numbers(at::IntArrayRef shape, uint64_t seed) {
  return random_tensor(shape, seed, 1.0, at::kDouble);
}
GroupChoice small_choice() {
  return {choice_numbers({Choice::M, Choice::N}, 1), choice_numbers({Choice::M, Choice::D}, 2),
          choice_numbers({Choice::N, Choice::D}, 3)};
}

// exp(s_i / tau) / sum_k exp(s_k / tau). s: (M)
std::vector<double> shares(const at::Tensor& s, double tau) {
  std::vector<double> all;
  double sum = 0;
  for (int64_t i = 0; i < Choice::M; ++i) sum += all.emplace_back(std::exp(s[i].item<double>() / tau));
  for (double& one : all) one /= sum;
  return all;
}

double mean_cost(const GroupChoice& of) {
  double cost = 0;
  for (int64_t j = 0; j < Choice::N; ++j)
    for (int64_t i = 0; i < Choice::M; ++i)
      cost += shares(of.scores.select(1, j), 1)[size_t(i)] *
              (of.targets[j] - of.centres[i]).pow(2).sum().item<double>();
  return cost;
}

// Of token j: A_i (u_i - sum_k A_k u_k) / tau, u_i = -2 c_i . (t - sum_k a_k c_k), a: A, or its largest
// made 1.
std::vector<double> plain_estimate(const GroupChoice& of, const at::Tensor& noisy, int64_t j, double tau,
                                   bool hard) {
  const std::vector<double> A = shares(noisy.select(1, j), tau);
  std::vector<double> a = A, u, g;
  if (hard)
    for (double& one : a) one = one == *std::ranges::max_element(A) ? 1 : 0;
  at::Tensor left = of.targets[j].clone();
  for (int64_t i = 0; i < Choice::M; ++i) left -= a[size_t(i)] * of.centres[i];
  double mean = 0;
  for (int64_t i = 0; i < Choice::M; ++i)
    mean += A[size_t(i)] * u.emplace_back(-2 * at::dot(of.centres[i], left).item<double>());
  for (size_t i = 0; i < size_t(Choice::M); ++i) g.push_back(A[i] * (u[i] - mean) / tau);
  return g;
}

}  // namespace

TEST_CASE("a choice of groups: the exact gradient is the slope of the mean cost") {
  const GroupChoice of = small_choice();
  const at::Tensor exact = of.exact_gradient();
  for (int64_t i = 0; i < Choice::M; ++i)
    for (int64_t j = 0; j < Choice::N; ++j) {
      GroupChoice more = of, less = of;
      more.scores = of.scores.clone(), less.scores = of.scores.clone();
      more.scores[i][j] += 1e-5, less.scores[i][j] -= 1e-5;
      CHECK(exact[i][j].item<double>() == Approx((mean_cost(more) - mean_cost(less)) / 2e-5).margin(1e-8));
    }
}

TEST_CASE("a choice of groups: estimates of soft, noisy and straight-through weights are their equation's") {
  const GroupChoice of = small_choice();
  const at::Tensor noise = gumbel_noise({Choice::R, Choice::M, Choice::N}, 4, "e").to(at::kDouble);
  for (const bool hard : {false, true})
    for (const at::Tensor& e : {at::Tensor(), noise}) {
      const GradientEstimates found = of.estimates({0.5, hard, e});
      REQUIRE(found.of_scores.size(0) == (e.defined() ? Choice::R : 1));
      for (int64_t r = 0; r < found.of_scores.size(0); ++r)
        for (int64_t j = 0; j < Choice::N; ++j) {
          const at::Tensor noisy = e.defined() ? of.scores + e[r] : of.scores;
          const auto g = plain_estimate(of, noisy, j, 0.5, hard), a = shares(noisy.select(1, j), 0.5);
          for (int64_t i = 0; i < Choice::M; ++i) {
            CHECK(found.of_scores[r][i][j].item<double>() == Approx(g[size_t(i)]).margin(1e-12));
            CHECK(found.weights[r][i][j].item<double>() == Approx(a[size_t(i)]));
          }
        }
    }
}

TEST_CASE("what estimates have in common: entropy, tokens near one group, lengths") {
  const at::Tensor quarters = at::tensor({0.5, 0.25, 0.25, 1.0, 0.0, 0.0}, at::kDouble).view({1, 2, 3});
  const GradientEstimates of{quarters.transpose(1, 2), at::tensor({3.0, 4.0}, at::kDouble).view({1, 2, 1})};
  CHECK(of.entropy() == Approx(1.5 * std::log(2) / 2));
  CHECK((of.share_above(0.9) == 0.5 && of.share_above(0.4) == 1));
  CHECK(of.lengths().item<double>() == Approx(5));
  const GradientEstimates in_fp32{of.weights.to(at::kFloat), of.of_scores.to(at::kFloat)};  // a weight is 0
  CHECK(in_fp32.entropy() == Approx(1.5 * std::log(2) / 2));
}

TEST_CASE("an estimator's signal and bias, without what a mean of so few draws is off by") {
  const at::Tensor two = at::tensor({1.0, 3.0}), one = at::tensor({3.0});  // mean 2, variance 2
  const auto of = [](const at::Tensor& draws, double exact) {
    return quality_of(draws.unsqueeze(1), at::tensor({exact}));
  };
  CHECK(of(two, 4).signal == Approx(std::sqrt((4.0 - 1) / 2)));
  CHECK(of(two, 4).bias == Approx(std::sqrt(4.0 - 1) / 4));
  CHECK(of(two, 2.5).bias == 0);  // nearer than the mean's own error
  CHECK(of(one, 4).signal == 0);
  CHECK(of(one, 4).bias == Approx(0.25));
}
