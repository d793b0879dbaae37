// An optimizer of your own, sharded by ZeRO without a word about shards: Signum, the sign of a momentum.
// Bernstein et al. 2018, arXiv:1802.04434:  m <- beta m + (1 - beta) g      w <- w - lr sign(m)
#include <cmath>
#include <cstdio>

#include "ringside/base/error.h"
#include "ringside/base/prepare_process.h"
#include "ringside/base/sha256.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"
#include "ringside/zero/make_strategy.h"

using namespace ringside;

constexpr int64_t kSteps = 20, kBatch = 16, kMaxTokens = 32;

// Of these elements, whole parameters or a rank's shard alike; the gradient is a sum over samples.
static void signum_update(const Elements& all, const Values& values, const UpdateOptions& options) {
  const auto beta = float(values.at("beta"));
  const auto rate = float(options.learning_rate);
  const auto* gradient = static_cast<const float*>(all.gradient);
  float* m = all.state[0];
  for (int64_t i = 0; i < all.count; ++i) {
    m[i] = beta * m[i] + (1 - beta) * options.gradient_scale * gradient[i];
    all.weights[i] -= m[i] == 0 ? 0 : std::copysign(rate, m[i]);
  }
}

static optim::OptimizerSpec signum() {
  return {.name = "signum",
          .title = "Signum",
          .state = {{"m", "mean of the gradient"}},
          .hyperparameters = {{"beta", "what m keeps of itself in a step", 0.9, 0, 1}},
          .update = Update(signum_update)};
}

static void train(World& world, const Dataset& data, int stage) {
  use_one_thread();
  const Distribution distribution{.stage = stage, .precision = Precision::kFloat32};
  ProcessGroup& group = world.group("dp");
  auto& model = world.make<Classifier>(ClassifierConfig{.hidden = 64, .layers = 2}, kMaxTokens);
  auto& optimizer = world.make<Optimizer>(signum(), OptimizerConfig{.name = "signum"});
  Strategy& strategy = *world.make<std::unique_ptr<Strategy>>(
      zero::make_strategy({model.parameters(), group, optimizer, distribution, world.recorder()}));
  strategy.load([&](size_t p, const at::Tensor& out) { initialize(out, model.parameters().shapes[p], 0); });

  Sampler sampler(int64_t(data.train.size()), kBatch, /*accumulate=*/1, /*seed=*/0);
  double sum = 0;
  for (int64_t step = 0; step < kSteps; ++step) {
    strategy.begin_step(step);
    strategy.begin_micro_batch(/*last_of_step=*/true);
    const Batch batch = make_batch(data.train, sampler.indices(step, 0, group.rank(), group.size()));
    const at::Tensor loss = weighted_loss(model.forward(batch, {.hooks = &strategy}).logits, batch);
    run_backward(loss);
    strategy.end_micro_batch();
    strategy.step({.learning_rate = 1e-3, .step = step + 1, .samples = kBatch});
    sum = loss.item<double>();
    group.all_reduce({&sum, 1, Dtype::kFloat64}, {"loss", ""})->wait();
  }
  Sha256 hash;
  strategy.visit_parameters([&](size_t, const at::Tensor& t) { hash.update(t.data_ptr(), t.nbytes()); });
  if (group.rank() == 0)
    std::printf("stage %d  loss %.6f  parameters %s\n", stage, sum / kBatch, hash.hex().c_str());
}

int main() try {
  prepare_process();
  const Dataset data = make_synthetic({.max_tokens = kMaxTokens});
  for (const int stage : {0, 1, 2, 3})
    run_world({.ranks = 4}, [&](World& world) { train(world, data, stage); });
} catch (const Error& error) {
  std::fprintf(stderr, "own_optimizer: %s\n", error.what());
  return int(error.code());
}
