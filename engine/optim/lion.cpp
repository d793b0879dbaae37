// Lion: the sign of an interpolation between momentum and gradient. Chen et al. 2023, "Symbolic Discovery of
// Optimization Algorithms", arXiv:2302.06675, algorithm 2.
//
//   c = beta1 m + (1 - beta1) g     w <- w - lr (sign(c) + lambda w)     m <- beta2 m + (1 - beta2) g
//
// sign(0) is 0. sign(NaN) is NaN, unlike torch.sign's 0: that weight would never be updated again, and nobody
// would notice.
//
// State an element: m, 4 bytes; with bf16 parameters 4 more for the master copy.
#include "elementwise.h"
#include "rules.h"

namespace ringside::optimizers {

OptimizerSpec lion() {
  return {.name = "lion",
          .title = "Lion",
          .state = {{"m", "mean of the gradient"}},
          .hyperparameters = {{"beta1", "what the step has of m", 0.9, 0, 1},
                              {"beta2", "what m keeps of itself in a step", 0.99, 0, 1},
                              {"weight_decay", "lambda, of the weight itself", 0}},
          .update = Elementwise<1, Made<LionRule>>()};
}

}  // namespace ringside::optimizers
