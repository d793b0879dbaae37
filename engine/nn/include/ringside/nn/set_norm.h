// Norms whose statistics span tokens, as nodes of the graph: norms/set_norm.h has the sets, the equations and
// the papers. Forward keeps x, and fp64 mean and scale by feature, a pair for each sample or one for the
// batch.
#pragma once

#include <ATen/ATen.h>

#include <string>

#include "ringside/comm/process_group.h"

namespace ringside::inline nn {

// Group norm: the real tokens of a sample and H / groups features share a mean and a variance; groups = H is
// instance norm. x: (B, T, H), or (B, H) as B samples of one token; real: (B, T) bool or undefined, where
// every token is real. A sample without a real token, as all padding, becomes 0.
at::Tensor group_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, int64_t groups,
                      double eps, const at::Tensor& real = {});

// What a batch's statistics were, over the ranks of the group.
struct BatchStatistics {
  at::Tensor mean, variance;  // (H) fp64
  double count = 0;           // n, of all ranks
};

// Batch norm in training. group: whose ranks add up their sums, in forward and in backward; null: this rank's
// are alone. name: of the norm, in the tags of its collectives. statistics: empty, and filled in here, or
// those of an earlier forward over the same batch, which then sends nothing.
at::Tensor train_batch_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps,
                            const at::Tensor& real, ProcessGroup* group, const std::string& name,
                            BatchStatistics& statistics);

}  // namespace ringside::inline nn
