#include "ringside/nn/grouping.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ringside/base/error.h"
#include "ringside/base/random.h"

namespace ringside::inline nn {

at::Tensor gumbel_noise(at::IntArrayRef shape, uint64_t seed, std::string_view purpose, uint64_t index) {
  const at::Tensor noise = at::empty(shape, at::kFloat);
  RandomStream stream(seed, purpose, index);
  std::generate_n(noise.data_ptr<float>(), noise.numel(), [&] {
    const double above_0 = stream.uniform() + 0x1p-54;  // uniform() has steps of 2^-53
    return float(-std::log(-std::log(above_0)));
  });
  return noise;
}

at::Tensor assign_to_groups(const at::Tensor& scores, const AssignmentRule& rule) {
  if (!(rule.tau > 0)) throw UsageError("the temperature of an assignment must be above 0");
  const at::Tensor noisy = rule.noise.defined() ? scores + rule.noise : scores;
  const at::Tensor soft = at::softmax(noisy / rule.tau, -2);  // over the groups
  if (!rule.hard) return soft;
  const at::Tensor known = soft.detach();
  const at::Tensor hard = at::zeros_like(known).scatter_(-2, known.argmax(-2, true), 1.0);
  return hard + (soft - known);
}

GroupedTokens group_tokens(const at::Tensor& groups, const at::Tensor& x, const GroupingWeights& weights,
                           const AssignmentRule& rule) {
  const double scale = 1 / std::sqrt(double(groups.size(1)));
  const at::Tensor q = at::linear(groups, weights.q);  // (M, D)
  const at::Tensor k = at::linear(x, weights.k);       // (B, N, D)
  const at::Tensor v = at::linear(x, weights.v);
  GroupedTokens out{at::matmul(q, k.transpose(1, 2)) * scale, {}, {}};
  out.weights = assign_to_groups(out.scores, rule);
  const at::Tensor mean = at::matmul(out.weights, v) / (1 + out.weights.sum(2, true));  // (B, M, D)
  out.groups = groups + at::linear(mean, weights.o);
  return out;
}

std::vector<int64_t> k_means(const at::Tensor& x, int64_t k, uint64_t seed) {
  constexpr int kStarts = 10, kRounds = 30;
  if (k < 1 || k > x.size(0)) throw UsageError("k-means: {} centres of {} rows", k, x.size(0));
  if (!std::isfinite(x.pow(2).sum().item<double>()))
    throw InputError("k-means: rows are not finite, or too long for the sum of their squares");
  at::Tensor best;
  double least = std::numeric_limits<double>::infinity();
  for (int start = 0; start < kStarts; ++start) {
    const auto order = permutation(x.size(0), RandomStream(seed, "k-means", uint64_t(start)));
    at::Tensor centres = x.index_select(0, at::tensor(order).narrow(0, 0, k)), nearest;
    for (int round = 0; round < kRounds; ++round) {
      nearest = at::cdist(x, centres).argmin(1);                         // (N)
      const at::Tensor member = at::one_hot(nearest, k).to(at::kFloat);  // (N, k)
      const at::Tensor count = member.sum(0).unsqueeze(1);
      centres = at::where(count.gt(0), at::matmul(member.t(), x) / count.clamp_min(1), centres);
    }
    const double distance = (x - centres.index_select(0, nearest)).pow(2).sum().item<double>();
    if (!best.defined() || distance < least) least = distance, best = nearest;
  }
  return {best.data_ptr<int64_t>(), best.data_ptr<int64_t>() + best.numel()};
}

}  // namespace ringside::inline nn
