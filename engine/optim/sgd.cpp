// Stochastic gradient descent with momentum, as torch.optim.SGD has it, but for the standard values: mu is
// 0.9 and lambda 0.01 here, and torch has 0 for both.
//
//   g <- g + lambda w          u <- mu u + g          w <- w - lr u          Nesterov: w <- w - lr (g + mu u)
//
// Momentum: Polyak 1964, doi:10.1016/0041-5553(64)90137-5. Nesterov's, at the point that is looked ahead to:
// Sutskever et al. 2013, "On the importance of initialization and momentum in deep learning". State an
// element: u, 4 bytes; none without momentum.
#include "elementwise.h"
#include "rules.h"

namespace ringside::optimizers {

OptimizerSpec sgd() {
  return {.name = "sgd",
          .title = "SGD",
          .state = {{"u", "sum of gradients, older ones fading", "momentum"}},
          .hyperparameters = {{"momentum", "mu, what u keeps of itself in a step", 0.9, 0, 1},
                              {"weight_decay", "lambda, added to the gradient", 0.01},
                              {"nesterov", "1: looks one step ahead; 0: does not", 0, 0, 2}},
          .update = Elementwise<1, Made<SgdRule>, 1>()};
}

}  // namespace ringside::optimizers
