// AdamW and SGD against LibTorch's own.
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include "against_torch.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("AdamW is LibTorch's") {
  for (const bool bf16 : {false, true}) {
    for (const double decay : {0.0, 0.3}) {
      INFO("bf16 gradients " << bf16 << ", weight decay " << decay);
      const OptimizerConfig config{.values = {{"weight_decay", decay}, {"beta2", 0.95}}};
      const at::Tensor weights = start();
      torch::optim::AdamW reference({weights},
                                    torch::optim::AdamWOptions(kRate).weight_decay(decay).betas({0.9, 0.95}));
      const Distance apart = distance(config, reference, weights, bf16);
      CHECK(apart.largest < apart.bound);
    }
  }
}

TEST_CASE("SGD is LibTorch's, with and without momentum") {
  for (const bool bf16 : {false, true}) {
    for (const double momentum : {0.0, 0.9}) {
      INFO("bf16 gradients " << bf16 << ", momentum " << momentum);
      const OptimizerConfig config{.name = "sgd", .values = {{"weight_decay", 0.1}, {"momentum", momentum}}};
      CHECK(kept_state(config).size() == (momentum > 0 ? 1 : 0));
      const at::Tensor weights = start();
      torch::optim::SGD reference({weights},
                                  torch::optim::SGDOptions(kRate).weight_decay(0.1).momentum(momentum));
      const Distance apart = distance(config, reference, weights, bf16);
      CHECK(apart.largest < apart.bound);
    }
  }
}
