// InfoNCE: each row of a has to find its partner among all rows of b. van den Oord et al. 2018,
// arXiv:1807.03748; with normalized features and a temperature, Chen et al. 2020, arXiv:2002.05709, and
// between images and texts, Radford et al. 2021, arXiv:2103.00020.
//
//   L = -1/n sum_i log( exp(a_i . b_f+i / tau) / sum_j exp(a_i . b_j / tau) )
//
// a: (n, d), b: (m, d), tau > 0. Row i of a belongs to row f+i of b, f = first. The partners of a rank's own
// rows stand at rank * n in the rows that were gathered from all ranks.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace ringside::inline nn {

// (); UsageError where a row of a has no partner.
at::Tensor contrastive_loss(const at::Tensor& a, const at::Tensor& b, int64_t first, double temperature);

// Rows of length 1: x / |x|. x: (n, d)
at::Tensor normalized_rows(const at::Tensor& x);

}  // namespace ringside::inline nn
