// Losses of post-training and of contrast, as plain functions of tensors, each with its paper.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace ringside::inline nn {

// ---- Contrast ----
//
// InfoNCE: each row of a has to find its partner among all rows of b. van den Oord et al. 2018,
// arXiv:1807.03748; with normalized features and a temperature, Chen et al. 2020, arXiv:2002.05709, and
// between images and texts, Radford et al. 2021, arXiv:2103.00020.
//
//   L = -1/n sum_i log( exp(a_i . b_f+i / tau) / sum_j exp(a_i . b_j / tau) )
//
// a: (n, d), b: (m, d), tau > 0. Row i of a belongs to row f+i of b, f = first. The partners of a rank's own
// rows stand at rank * n in the rows that were gathered from all ranks.

// (); UsageError where a row of a has no partner, or tau is not above 0.
at::Tensor contrastive_loss(const at::Tensor& a, const at::Tensor& b, int64_t first, double temperature);

// Rows of length 1: x / |x|. x: (n, d); a row of zeros becomes NaN.
at::Tensor normalized_rows(const at::Tensor& x);

// ---- Preference ----
//
// Direct preference optimization: of two answers to one prompt, w is preferred to l. No reward model and no
// rollouts: two log-probabilities of the policy, two of a reference that stands still.
// Rafailov et al. 2023, arXiv:2305.18290, equation 7.
//
//   margin = beta ((log p(w) - log p_ref(w)) - (log p(l) - log p_ref(l)))
//   loss   = -log sigmoid(margin)
//   d loss / d log p(w) = -beta sigmoid(-margin) = -d loss / d log p(l)
//
// Where the policy is the reference the margin is 0 and the loss ln 2, whatever the pair. The loss sees the
// difference alone: it falls as well where both log-probabilities fall, that of l by more.

// log p(token | those before it) of every token but the first: (B, T, V), (B, T) -> (B, T-1)
at::Tensor token_log_probabilities(const at::Tensor& logits, const at::Tensor& tokens);

// Of whole answers: log p(y | x), a sum over the answer's tokens. All are (B): a number for each pair.
struct PreferencePair {
  at::Tensor chosen, rejected;                      // of the policy
  at::Tensor reference_chosen, reference_rejected;  // without a graph
};
at::Tensor dpo_margin(const PreferencePair& pair, double beta);  // (B)
at::Tensor dpo_loss(const PreferencePair& pair, double beta);    // (B)

// ---- Policy ----
//
// What reinforcement learning on sampled answers is made of: plain functions, which PPO and GRPO put
// together. Shapes: B answers of A tokens; all (B, A) unless said otherwise. logp: of the tokens that were
// drawn.

// The clipped objective, as a loss. Schulman et al. 2017, arXiv:1707.06347, equation 7.
//   r = exp(logp - old),  loss = -min(r advantage, clip(r, 1 - epsilon, 1 + epsilon) advantage)
// Its gradient is 0 where the clipped one is the smaller, also where r is infinite. `old` are those of the
// policy that drew the tokens: at the first update after a rollout r = 1, and the gradient is that of
// -advantage logp.
at::Tensor clipped_policy_loss(const at::Tensor& logp, const at::Tensor& old, const at::Tensor& advantage,
                               double epsilon);

// Per token, for tokens drawn from p: at least 0 but for rounding, and its mean is KL(p || p_ref). Of a
// policy that has been updated since, it is near that. Shao et al. 2024, arXiv:2402.03300, equation 4.
//   exp(ref - logp) - (ref - logp) - 1
// Near the reference its terms cancel: in fp32 the error is about 1e-7, as much as the value itself at
// |ref - logp| = 5e-4.
at::Tensor kl_estimate(const at::Tensor& logp, const at::Tensor& reference);

// Group-relative: an answer against the others to the same prompt, instead of a critic. Same paper, section
// 4.1. (G, n) rewards of n answers to each of G prompts -> (reward - mean) / (deviation + 1e-6) of its group.
// A group of equal rewards has advantages of 0 and teaches nothing.
at::Tensor group_advantages(const at::Tensor& rewards);

// Generalized advantage estimation against a critic. Schulman et al. 2015, arXiv:1506.02438, equation 16.
//   delta_t = reward_t + gamma value_{t+1} - value_t,  advantage_t = delta_t + gamma lambda advantage_{t+1}
// The value behind the last token is 0. With gamma = lambda = 1: the rewards still to come, less value_t.
at::Tensor generalized_advantages(const at::Tensor& rewards, const at::Tensor& values, double gamma,
                                  double lambda);

}  // namespace ringside::inline nn
