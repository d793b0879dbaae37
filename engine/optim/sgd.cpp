// Stochastic gradient descent with momentum, as torch.optim.SGD has it:
//
//   g <- g + lambda w          u <- mu u + g          w <- w - lr u
//
// Polyak 1964, doi:10.1016/0041-5553(64)90137-5. State an element: u, 4 bytes; none without momentum.

#include "ringside/optim/declaration.h"

namespace ringside::optimizers {
namespace {

void update(const Elements& e, const Values& value, const UpdateOptions& options) {
  const auto decay = static_cast<float>(value.at("weight_decay"));
  const auto momentum = static_cast<float>(value.at("momentum"));
  const auto rate = static_cast<float>(options.learning_rate);
  const float scale = options.gradient_scale;
  float* __restrict w = e.weights;
  float* __restrict u = e.state.empty() ? nullptr : e.state[0];
  with_gradient(e, [&](auto gradient) {
    for (int64_t i = 0; i < e.count; ++i) {
      float direction = gradient(i) * scale + decay * w[i];
      if (u != nullptr) direction = u[i] = momentum * u[i] + direction;
      w[i] = w[i] - rate * direction;
    }
  });
}

}  // namespace

OptimizerSpec sgd() {
  return {.name = "sgd",
          .title = "SGD",
          .granularity = Granularity::kElement,
          .state = {{"u", "sum of gradients, older ones fading", "momentum"}},
          .hyperparameters = {{"momentum", "mu, what u keeps of itself in a step", 0.9, 0, 1},
                              {"weight_decay", "lambda, added to the gradient", 0.01}},
          .update = update};
}

}  // namespace ringside::optimizers
