// Dropout: an element is 0 with probability p, the others grow by 1 / (1 - p), so that the mean stays.
// Srivastava et al. 2014, as Hinton et al. 2012, arXiv:1207.0580.
//
//   y_i = m_i x_i / (1 - p),   m_i in {0, 1},   P(m_i = 0) = p,   dx_i = m_i dy_i / (1 - p)
//
// No generator is kept from step to step: m is a function of the seed, the step and micro-batch, the sample's
// place in that, the layer, the token and the feature. So a run that goes on from a checkpoint draws what it
// would have drawn, a layer that is computed again (nn/recompute.h) draws the same, and any number of ranks,
// any mesh and stage draw what one process does.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace ringside::inline nn {

// Of one micro-batch on one rank.
struct DropoutDraws {
  uint64_t key = 0;       // of seed, step and micro-batch
  int64_t first_row = 0;  // which of the micro-batch's samples, over all ranks, this rank's first one is
};
DropoutDraws dropout_draws(uint64_t seed, int64_t micro_step,
                           int64_t first_row);  // micro_step: since the start

// x: (B, T, H), tokens from first_token on. site: which of the model's dropouts it is. 0 <= p < 1
at::Tensor dropped_out(const at::Tensor& x, double p, const DropoutDraws& draws, int64_t site,
                       int64_t first_token = 0);

}  // namespace ringside::inline nn
