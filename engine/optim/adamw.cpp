// AdamW: Adam with decoupled weight decay. Loshchilov, Hutter 2017, arXiv:1711.05101. The decay is lr lambda
// w, as torch.optim.AdamW has it; in the paper's algorithm 2 it is eta lambda w, eta being the schedule's
// factor without the learning rate alpha.
//
//   w <- w - lr * lambda * w
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
//   w <- w - lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
//
// State an element: m and v, 8 bytes; with bf16 parameters 4 more for the master copy.
#include "elementwise.h"
#include "rules.h"

namespace ringside::optimizers {

OptimizerSpec adamw() {
  return {.name = "adamw",
          .title = "AdamW",
          .state = {{"m", "mean of the gradient"}, {"v", "mean of its square"}},
          .hyperparameters = {{"beta1", "what m keeps of itself in a step", 0.9, 0, 1},
                              {"beta2", "what v keeps of itself in a step", 0.999, 0, 1},
                              {"eps", "added to the root of v", 1e-8},
                              {"weight_decay", "lambda, of the weight itself", 0.01}},
          .update = Elementwise<2, Made<AdamWRule>>()};
}

}  // namespace ringside::optimizers
