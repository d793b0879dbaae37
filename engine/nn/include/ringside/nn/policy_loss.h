// What reinforcement learning on sampled answers is made of: plain functions, which PPO and GRPO put
// together. Shapes: B answers of A tokens; all (B, A) unless said otherwise. logp: of the tokens that were
// drawn.
#pragma once

#include <ATen/ATen.h>

namespace ringside::inline nn {

// The clipped objective, as a loss. Schulman et al. 2017, arXiv:1707.06347, equation 7.
//   r = exp(logp - old),  loss = -min(r advantage, clip(r, 1 - epsilon, 1 + epsilon) advantage)
// Its gradient is 0 where the clipped one is the smaller. `old` are those of the policy that drew the tokens:
// at the first update after a rollout r = 1, and the gradient is that of -advantage logp.
at::Tensor clipped_policy_loss(const at::Tensor& logp, const at::Tensor& old, const at::Tensor& advantage,
                               double epsilon);

// Per token, for tokens drawn from p: at least 0, and its mean is KL(p || p_ref). Of a policy that has been
// updated since, it is near that. Shao et al. 2024, arXiv:2402.03300, equation 4.
//   exp(ref - logp) - (ref - logp) - 1
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
