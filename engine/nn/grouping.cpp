#include "ringside/nn/grouping.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/error.h"
#include "ringside/base/random.h"

namespace ringside::inline nn {

at::Tensor gumbel_noise(at::IntArrayRef shape, uint64_t seed, std::string_view purpose, uint64_t index) {
  const at::Tensor noise = at::empty(shape, at::kFloat);
  RandomStream stream(seed, purpose, index);
  std::generate_n(noise.data_ptr<float>(), noise.numel(), [&] {
    const double above_0 = stream.uniform() + 0x1p-54;  // uniform() has steps of 2^-53
    return static_cast<float>(-std::log(-std::log(above_0)));
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
  const double scale = 1 / std::sqrt(static_cast<double>(groups.size(1)));
  const at::Tensor q = at::linear(groups, weights.q);  // (M, D)
  const at::Tensor k = at::linear(x, weights.k);       // (B, N, D)
  const at::Tensor v = at::linear(x, weights.v);
  GroupedTokens out{at::matmul(q, k.transpose(1, 2)) * scale, {}, {}};
  out.weights = assign_to_groups(out.scores, rule);
  const at::Tensor mean = at::matmul(out.weights, v) / (1 + out.weights.sum(2, true));  // (B, M, D)
  out.groups = groups + at::linear(mean, weights.o);
  return out;
}

}  // namespace ringside::inline nn
