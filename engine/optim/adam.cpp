// Adam. Kingma, Ba 2014, arXiv:1412.6980, algorithm 1; weight decay is added to the gradient, as
// torch.optim.Adam has it.
//
//   g <- g + lambda w
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
//   w <- w - lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
//
// State an element: m and v, 8 bytes; with bf16 parameters 4 more for the master copy.
#include "elementwise.h"
#include "rules.h"

namespace ringside::optimizers {

OptimizerSpec adam() {
  return {.name = "adam",
          .title = "Adam",
          .state = {{"m", "mean of the gradient"}, {"v", "mean of its square"}},
          .hyperparameters = {{"beta1", "what m keeps of itself in a step", 0.9, 0, 1},
                              {"beta2", "what v keeps of itself in a step", 0.999, 0, 1},
                              {"eps", "added to the root of v", 1e-8},
                              {"weight_decay", "lambda, added to the gradient", 0}},
          .update = Elementwise<2, Made<AdamRule>>()};
}

}  // namespace ringside::optimizers
