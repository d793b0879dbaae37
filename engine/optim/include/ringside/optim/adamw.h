// AdamW: Adam with decoupled weight decay. Loshchilov, Hutter 2017, arXiv:1711.05101.
//
//   w <- w - lr * lambda * w
//   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g^2
//   w <- w - lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
//
// State an element: m and v, 8 bytes; with bf16 parameters 4 more for the master copy.
#pragma once

#include "ringside/optim/optimizer.h"

namespace ringside {

class AdamW : public Optimizer {
 public:
  explicit AdamW(const OptimizerConfig& config) : config_(config) {}
  int slots() const override { return 2; }
  void update(const Stretch& stretch, const UpdateOptions& options) const override;

 private:
  OptimizerConfig config_;
};

}  // namespace ringside
