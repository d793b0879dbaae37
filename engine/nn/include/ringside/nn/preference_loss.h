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
#pragma once

#include <ATen/ATen.h>

namespace ringside::inline nn {

// log p(token | those before it) of every token but the first: (B, T, V), (B, T) -> (B, T-1)
at::Tensor token_log_probabilities(const at::Tensor& logits, const at::Tensor& tokens);

// Of whole answers: log p(y | x), a sum over the answer's tokens. All are (B): a number for each pair.
struct PreferencePair {
  at::Tensor chosen, rejected;                      // of the policy
  at::Tensor reference_chosen, reference_rejected;  // without a graph
};
at::Tensor dpo_margin(const PreferencePair& pair, double beta);  // (B)
at::Tensor dpo_loss(const PreferencePair& pair, double beta);    // (B)

}  // namespace ringside::inline nn
