// GroupViT's grouping block (Xu et al. 2022, arXiv:2202.11094): M group tokens g share N tokens x among
// themselves. For the token j and the group i:
//
//   S_ij = (W_q g_i) . (W_k x_j) / sqrt(D)
//   A_ij = exp((S_ij + e_ij) / tau) / sum_k exp((S_kj + e_kj) / tau)    over the groups k: a token chooses
//   out_i = g_i + W_o sum_j A_ij W_v x_j / (1 + sum_j A_ij)
//
// Attention has the same S and takes the softmax over the tokens: a group chooses. Slot attention has it as
// here (Locatello et al. 2020, arXiv:2006.15055). The 1 keeps a group without tokens finite.
//
// e is Gumbel noise, or 0: the largest S + e is group i with the probability softmax(S)_i (Jang, Gu, Poole
// 2017, arXiv:1611.01144). Straight-through: forward has 1 for the largest weight and 0 for the others,
// backward the gradient of A (Bengio, Leonard, Courville 2013, arXiv:1308.3432). GroupViT trains
// straight-through, with noise and tau = 1.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::inline nn {

// -log(-log u), u uniform in (0, 1), from the stream (seed, purpose, index). fp32
at::Tensor gumbel_noise(at::IntArrayRef shape, uint64_t seed, std::string_view purpose, uint64_t index = 0);

struct AssignmentRule {
  double tau = 1;
  bool hard = false;   // straight-through
  at::Tensor noise{};  // (..., M, N), added to the scores; undefined: none
};
// scores: (..., M, N) -> (..., M, N), whose columns add up to 1. UsageError where tau is not above 0.
at::Tensor assign_to_groups(const at::Tensor& scores, const AssignmentRule& rule);

struct GroupingWeights {
  at::Tensor q, k, v, o;  // (D, D)
};
struct GroupedTokens {
  at::Tensor scores, weights;  // (B, M, N): S, A
  at::Tensor groups;           // (B, M, D)
};
// groups: (M, D), x: (B, N, D), as they are after their norms.
GroupedTokens group_tokens(const at::Tensor& groups, const at::Tensor& x, const GroupingWeights& weights,
                           const AssignmentRule& rule);

// Beside it, Lloyd's k-means (1982, doi:10.1109/TIT.1982.1056489): from k drawn rows, again and again,
//
//   g_j = argmin_i |x_j - c_i|^2,   c_i = mean of the x_j with g_j = i
//
// The end depends on the start: of ten starts, that with the least sum of squared distances. x: (N, D), fp32
// -> (N): 0 .. k-1. UsageError where k is not 1 to N.
std::vector<int64_t> k_means(const at::Tensor& x, int64_t k, uint64_t seed);

}  // namespace ringside::inline nn
