// What each next token's probability is where the vocabulary is cut over tp: place r has the logits l of V_r
// of V rows. Nobody needs all of them (Shoeybi et al. 2019, arXiv:1909.08053, section 3):
//
//   M = max over places of max l            s = sum over places of sum exp(l - M)
//   t = the token's l, from the place that has it            log p = t - M - log s
//   d log p / d l = (1 at the token) - exp(l - M) / s
//
// So two all-reduces, of M, and of s and t: 3 numbers a token in fp32. Sums over places are in their order,
// so that all places have the same bits, and so has one process that computes every part (TensorParallel).
#pragma once

#include <ATen/ATen.h>

#include "ringside/nn/tensor_parallel.h"

namespace ringside::inline nn {

struct NextTokens {
  at::Tensor logp;      // (B, T-1) of every token but the first, with a graph
  at::Tensor is_first;  // (B, T-1) bool: no token's logit is larger
};
// logits: what TensorParallel::parts gave, (B, T, V_r), fp32; rows from V on are padding. tokens: (B, T),
// each below `vocabulary`, which is V.
NextTokens next_tokens_over(const TensorParallel& tp, const at::Tensor& logits, const at::Tensor& tokens,
                            int64_t vocabulary);

}  // namespace ringside::inline nn
