#include "ringside/nn/losses.h"

#include <c10/core/GradMode.h>

#include "ringside/base/error.h"

namespace ringside::inline nn {

at::Tensor contrastive_loss(const at::Tensor& a, const at::Tensor& b, int64_t first, double temperature) {
  const int64_t n = a.size(0);
  if (first < 0 || first + n > b.size(0))
    throw UsageError("partners {} to {} of {} rows: there are {} to be found", first, first + n - 1, n,
                     b.size(0));
  if (!(temperature > 0))
    throw UsageError("temperature={:g} of a contrastive loss: it must be above 0", temperature);
  const at::Tensor log_p = at::log_softmax(at::matmul(a, b.t()) / temperature, 1);  // (n, m)
  const at::Tensor partner = at::arange(first, first + n, a.options().dtype(at::kLong)).unsqueeze(1);
  return -log_p.gather(1, partner).mean();
}

at::Tensor normalized_rows(const at::Tensor& x) { return x / x.pow(2).sum(1, true).sqrt(); }

at::Tensor token_log_probabilities(const at::Tensor& logits, const at::Tensor& tokens) {
  const int64_t next = tokens.size(1) - 1;
  return at::log_softmax(logits.narrow(1, 0, next), -1)
      .gather(2, tokens.narrow(1, 1, next).unsqueeze(2))
      .squeeze(2);
}

at::Tensor dpo_margin(const PreferencePair& pair, double beta) {
  return beta * ((pair.chosen - pair.reference_chosen) - (pair.rejected - pair.reference_rejected));
}

at::Tensor dpo_loss(const PreferencePair& pair, double beta) {
  return -at::log_sigmoid(dpo_margin(pair, beta));
}

at::Tensor clipped_policy_loss(const at::Tensor& logp, const at::Tensor& old, const at::Tensor& advantage,
                               double epsilon) {
  const at::Tensor more = logp - old, r = more.detach().exp();
  const at::Tensor is_clipped = at::where(advantage >= 0, r > 1 + epsilon, r < 1 - epsilon);
  const at::Tensor ratio = more.masked_fill(is_clipped, 0).exp();  // no gradient where r may have overflowed
  return -at::where(is_clipped, r.clamp(1 - epsilon, 1 + epsilon), ratio) * advantage;
}

at::Tensor kl_estimate(const at::Tensor& logp, const at::Tensor& reference) {
  const at::Tensor more = reference - logp;
  return more.exp() - more - 1;
}

at::Tensor group_advantages(const at::Tensor& rewards) {
  const at::Tensor from_first = rewards - rewards.narrow(1, 0, 1);  // exactly 0 where all are equal
  const at::Tensor centred = from_first - from_first.mean(1, true);
  return centred / (centred.pow(2).mean(1, true).sqrt() + 1e-6);
}

at::Tensor generalized_advantages(const at::Tensor& rewards, const at::Tensor& values, double gamma,
                                  double lambda) {
  const at::NoGradGuard no_grad;
  const int64_t A = rewards.size(1);
  at::Tensor advantages = at::empty_like(rewards), later = at::zeros_like(rewards.select(1, 0)), next = later;
  for (int64_t t = A - 1; t >= 0; --t) {
    later = rewards.select(1, t) + gamma * next - values.select(1, t) + gamma * lambda * later;
    advantages.select(1, t).copy_(later);
    next = values.select(1, t);
  }
  return advantages;
}

}  // namespace ringside::inline nn
