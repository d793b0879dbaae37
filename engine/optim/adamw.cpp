#include "ringside/optim/adamw.h"

#include <cmath>

#include "ringside/optim/elementwise.h"

namespace ringside {

void AdamW::update(const Stretch& stretch, const UpdateOptions& options) const {
  const auto t = static_cast<double>(options.step);
  const auto keep = static_cast<float>(1.0 - options.learning_rate * config_.weight_decay);
  const auto beta1 = static_cast<float>(config_.beta1), beta2 = static_cast<float>(config_.beta2);
  const auto rest1 = static_cast<float>(1.0 - config_.beta1), rest2 = static_cast<float>(1.0 - config_.beta2);
  const auto rate = static_cast<float>(options.learning_rate / (1.0 - std::pow(config_.beta1, t)));
  const auto root_bias2 = static_cast<float>(std::sqrt(1.0 - std::pow(config_.beta2, t)));
  const auto eps = static_cast<float>(config_.eps);
  const float scale = options.gradient_scale;
  float* __restrict w = stretch.weights;
  float* __restrict m = stretch.slots[0];
  float* __restrict v = stretch.slots[1];
  over_stretch(stretch, [&](auto gradient) {
    for (int64_t i = 0; i < stretch.count; ++i) {
      const float g = gradient[i] * scale;
      m[i] = beta1 * m[i] + rest1 * g;
      v[i] = beta2 * v[i] + rest2 * (g * g);
      w[i] = w[i] * keep - rate * (m[i] / (std::sqrt(v[i]) / root_bias2 + eps));
    }
  });
}

}  // namespace ringside
