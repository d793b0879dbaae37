// What the temperature does to the weights and to the gradient of their scores, over many draws of the noise.
#include "parts.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/grouping.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::lessons::grouping {
namespace {

constexpr int64_t kTokens = 512, kGroups = 8, kWidth = 4, kDraws = 200;
constexpr double kTaus[] = {0.05, 0.1, 0.2, 0.5, 1, 2, 5};

// The loss of a token's weights a: |target - sum_i a_i centre_i|^2.
struct Problem {
  explicit Problem(uint64_t seed)
      : scores(normal_numbers({kGroups, kTokens}, seed, "scores", at::kDouble)),
        centres(normal_numbers({kGroups, kWidth}, seed, "centres", at::kDouble)),
        targets(normal_numbers({kTokens, kWidth}, seed, "targets", at::kDouble)),
        noise(gumbel_noise({kDraws, kGroups, kTokens}, seed, "draws").to(at::kDouble)) {}
  at::Tensor scores, centres, targets, noise;

  // Of the loss that a group costs on average if it is drawn with probability p = softmax(S):
  // sum_i p_i f_i has the gradient p_i (f_i - sum_k p_k f_k). (M, N)
  at::Tensor exact_gradient() const {
    const at::Tensor p = at::softmax(scores, 0);
    const at::Tensor f = (targets.unsqueeze(0) - centres.unsqueeze(1)).pow(2).sum(2);
    return p * (f - (p * f).sum(0, true));
  }
};

struct Gradients {
  at::Tensor weights, of_scores;                               // (R, M, N), R draws
  at::Tensor lengths() const { return of_scores.norm(2, 1); }  // (R, N)
};

Gradients gradients_of(const Problem& problem, const std::string& way, double tau) {
  AssignmentRule rule{.tau = tau};
  if (way != kSoft) rule.noise = problem.noise;
  const at::Tensor leaf =
      problem.scores.expand({way == kSoft ? 1 : kDraws, kGroups, kTokens}).clone().set_requires_grad(true);
  const at::Tensor soft = assign_to_groups(leaf.detach(), rule);
  rule.hard = way == kStraight;
  const at::Tensor said = at::matmul(assign_to_groups(leaf, rule).transpose(1, 2), problem.centres);
  run_backward((problem.targets - said).pow(2).sum());
  return {soft, leaf.grad()};
}

DialRow measure(const Problem& problem, const std::string& way, double tau, double median_at_1) {
  const Gradients g = gradients_of(problem, way, tau);
  DialRow row{.way = way, .tau = tau};
  const at::Tensor terms = g.weights * g.weights.clamp_min(1e-300).log();
  row.entropy = way == kStraight ? 0 : -number(terms.sum(1).mean());
  row.near = 100 * number(g.weights.amax(1).gt(0.99).to(at::kDouble).mean());
  row.gradient = number(g.lengths().median());
  row.above = 100 * number(g.lengths().gt(1e-3 * median_at_1).to(at::kDouble).mean());
  // The mean of R draws is off by variance / R in the square, which is taken off again.
  const auto draws = double(g.of_scores.size(0));
  const at::Tensor mean = g.of_scores.mean(0), exact = problem.exact_gradient();
  const double variance = draws > 1 ? number(g.of_scores.var(0).sum()) : 0;
  const auto without_noise = [&](const at::Tensor& of) {
    return std::sqrt(std::max(0.0, number(of.pow(2).sum()) - variance / draws));
  };
  row.signal = draws > 1 ? without_noise(mean) / std::sqrt(variance) : 0;
  row.bias = without_noise(mean - exact) / number(exact.norm());
  return row;
}

}  // namespace

void record_dial(Recorder& pen, uint64_t seed) {
  const Problem problem(seed);
  record_matrix(pen, "score, group", problem.scores);
  record_matrix(pen, "centre, group", problem.centres);
  record_matrix(pen, "target, number", problem.targets.t());
  for (const char* way : kWays) {
    const double median_at_1 = number(gradients_of(problem, way, 1).lengths().median());
    for (const double tau : kTaus) record_row(pen, measure(problem, way, tau, median_at_1));
  }
}

}  // namespace ringside::lessons::grouping
