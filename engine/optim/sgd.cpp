#include "ringside/optim/sgd.h"

#include "ringside/optim/elementwise.h"

namespace ringside {

void Sgd::update(const Stretch& stretch, const UpdateOptions& options) const {
  const auto decay = static_cast<float>(config_.weight_decay);
  const auto momentum = static_cast<float>(config_.momentum);
  const auto rate = static_cast<float>(options.learning_rate);
  const float scale = options.gradient_scale;
  float* __restrict w = stretch.weights;
  float* __restrict u = stretch.slots.empty() ? nullptr : stretch.slots[0];
  over_stretch(stretch, [&](auto gradient) {
    for (int64_t i = 0; i < stretch.count; ++i) {
      float direction = gradient[i] * scale + decay * w[i];
      if (u != nullptr) direction = u[i] = momentum * u[i] + direction;
      w[i] = w[i] - rate * direction;
    }
  });
}

}  // namespace ringside
