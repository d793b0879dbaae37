// How far the gradient that trains an assignment (nn/grouping.h) is from the one that it stands for, and how
// much it scatters. M groups have centres c, N tokens have targets t, and group i costs token j
//
//   f_ij = |t_j - c_i|^2
//
// If each token draws its group with the probabilities p = softmax(S) over the groups, the mean cost is
//
//   L = sum_ij p_ij f_ij      dL/dS_ij = p_ij (f_ij - sum_k p_kj f_kj)
//
// An estimate of that gradient has the weights A of a rule in the place of the drawn group, with draw r of
// the rule's noise:
//
//   g_r = d/dS sum_j |t_j - sum_i A_ij c_i|^2
//
// Of R estimates m is the mean and v = sum_r |g_r - m|^2 / (R - 1). A mean of R draws is off by v / R in the
// square, which is taken off again:
//
//   signal = sqrt((|m|^2 - v / R) / v)      bias = sqrt(|m - dL/dS|^2 - v / R) / |dL/dS|
//
// A lower temperature has less bias and less signal: Jang, Gu, Poole 2017, arXiv:1611.01144. The ratio of
// signal and noise as a measure of estimators: Rainforth et al. 2018, arXiv:1802.04537.
#pragma once

#include "ringside/nn/grouping.h"

namespace ringside::inline nn {

struct GradientEstimates {
  at::Tensor weights;    // (R, M, N): A, before the largest is made 1
  at::Tensor of_scores;  // (R, M, N): g

  double entropy() const;                  // of a token's weights, in nats; a mean over tokens and draws
  double share_above(double limit) const;  // of the tokens and draws, by the largest weight
  at::Tensor lengths() const;              // (R, N), of g of a token
};

struct GroupChoice {
  at::Tensor scores, centres, targets;  // (M, N), (M, D), (N, D)

  at::Tensor exact_gradient() const;  // (M, N): dL/dS
  // rule.noise: (R, M, N), of the scores' type; without noise R is 1. UsageError as assign_to_groups().
  GradientEstimates estimates(const AssignmentRule& rule) const;
};

struct EstimatorQuality {
  double signal = 0;  // 0 where R is 1: nothing scatters
  double bias = 0;
};
// estimates: (R, ...), exact: (...). What is taken off leaves no less than 0.
EstimatorQuality quality_of(const at::Tensor& estimates, const at::Tensor& exact);

}  // namespace ringside::inline nn
