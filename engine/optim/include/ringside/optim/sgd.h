// Stochastic gradient descent with momentum, as torch.optim.SGD has it:
//
//   g <- g + lambda w          u <- mu u + g          w <- w - lr u
//
// State an element: u, 4 bytes; none without momentum.
#pragma once

#include "ringside/optim/optimizer.h"

namespace ringside {

class Sgd : public Optimizer {
 public:
  explicit Sgd(const OptimizerConfig& config) : config_(config) {}
  int slots() const override { return config_.momentum != 0 ? 1 : 0; }
  void update(const Stretch& stretch, const UpdateOptions& options) const override;

 private:
  OptimizerConfig config_;
};

}  // namespace ringside
