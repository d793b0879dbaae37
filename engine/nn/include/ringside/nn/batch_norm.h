// Batch norm: each feature is normalised over every real token of the batch, in training by that batch's own
// statistics and in evaluation by their running average. norms/set_norm.h has its equations.
//
//   running_mean += momentum (m - running_mean)   running_var += momentum (v n / (n - 1) - running_var)
//
// Without a group in Context::statistics they are this rank's alone: N ranks then train another model than
// one process does, and each has running statistics of its own. With one they are those of all ranks'
// batches, so that N ranks compute what one process computes over the joined batch, and their buffers are
// equal. A training forward then sends two all-reduces, of H+1 and of H fp64, a backward one of 2H, all in
// that group, which must live until backward is over. A rank without a real token takes part in all three. dw
// and db are of this rank's tokens: the Strategy adds them over ranks. y is 0 where no real token stands.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/nn/model.h"
#include "ringside/nn/set_norm.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside::inline nn {

// Of the batch norms of a layer that is recomputed, in the order of their calls: taken in its first forward,
// used in its second, which moves no running statistics.
struct KeptStatistics {
  std::vector<BatchStatistics> taken = {};
  size_t used = 0;
  bool again = false;  // whether this is the second
};

// x: (B, T, H), or (B, H) without a token mask -> as x
at::Tensor output_of(const BatchNormLayer& layer, const Leaves& leaves, const Buffers& buffers,
                     const at::Tensor& x, const Context& context);

}  // namespace ringside::inline nn
