// AMSGrad against LibTorch's own.
#include <torch/optim/adam.h>

#include "against_torch.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("AMSGrad is LibTorch's, and keeps three values an element") {
  CHECK(kept_state({.name = "amsgrad"}).size() == 3);
  for (const bool bf16 : {false, true}) {
    for (const double decay : {0.0, 0.3}) {
      INFO("bf16 gradients " << bf16 << ", weight decay " << decay);
      const OptimizerConfig config{.name = "amsgrad", .values = {{"weight_decay", decay}, {"beta2", 0.95}}};
      const at::Tensor weights = start();
      torch::optim::Adam reference(
          {weights}, torch::optim::AdamOptions(kRate).weight_decay(decay).betas({0.9, 0.95}).amsgrad(true));
      const Distance apart = distance(config, reference, weights, bf16);
      CHECK(apart.largest < apart.bound);
    }
  }
}
