// The smallest training over a mesh: tensor parallelism over tp, ZeRO over dp.    mesh_trainer [MESH [STAGE]]
#include <cstdio>
#include <string>

#include "ringside/base/error.h"
#include "ringside/base/prepare_process.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/classifier.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"
#include "ringside/zero/make_strategy.h"

using namespace ringside;

constexpr int kRanks = 4;
constexpr int64_t kSteps = 40, kBatch = 16, kMaxTokens = 32;  // kBatch: sequences of a step, over all of dp
constexpr ClassifierConfig kModel{.hidden = 64, .heads = 4, .kv_heads = 4, .layers = 2};

static void train(World& world, const Dataset& data, const Distribution& distribution) {
  use_one_thread();
  const Declaration whole = declare_classifier(kModel);  // every parameter whole, with its cuts over tp
  const Mesh mesh = mesh_of_run(kRanks, distribution, whole.shapes());
  ProcessGroup& tp = world.group(mesh, {"tp"});  // shares one copy of the model, and its samples
  ProcessGroup& dp = world.group(mesh, {"dp"});  // has the same part of a copy, and samples of its own
  ProcessGroup& copy = world.group(mesh, copy_dimensions(mesh, distribution.stage));  // adds up the norm

  auto& model = world.make<Classifier>(kModel, kMaxTokens, TensorParallel(&tp, distribution.sequence));
  auto& optimizer = world.make<Optimizer>(make_optimizer({.name = "adamw"}));
  StrategySetup setup{model.parameters(), dp, optimizer, distribution, world.recorder()};
  setup.copy = &copy;
  Strategy& strategy = *world.make<std::unique_ptr<Strategy>>(zero::make_strategy(setup));
  const std::vector<Part> parts = parts_at(whole.shapes(), model_place(mesh, world.rank()));
  strategy.load(
      [&](size_t p, const at::Tensor& out) { initialize_part(out, whole.shapes()[p], parts[p], 0); });

  Sampler sampler(int64_t(data.train.size()), kBatch, /*accumulate=*/1, /*seed=*/0);
  for (int64_t step = 0; step < kSteps; ++step) {
    strategy.begin_step(step);
    strategy.begin_micro_batch(/*last_of_step=*/true);
    const Batch batch = make_batch(data.train, sampler.indices(step, 0, dp.rank(), dp.size()));
    const at::Tensor loss = weighted_loss(model.forward(batch, {.hooks = &strategy}).logits, batch);
    run_backward(loss);
    strategy.end_micro_batch();
    const double norm = strategy.step({.learning_rate = 1e-3, .step = step + 1, .samples = kBatch}).value();
    double sum = loss.item<double>();  // of this copy's samples, and the same on all its places
    dp.all_reduce({&sum, 1, Dtype::kFloat64}, {"loss", ""})->wait();
    if (step % 10 == 9 && world.rank() == 0)
      std::printf("step %d  loss %.6f  gradient norm %.6f\n", int(step + 1), sum / kBatch, norm);
  }
}

int main(int argc, char** argv) try {
  prepare_process();
  Distribution distribution{.stage = 3, .precision = Precision::kFloat32, .mesh = "dp2,tp2"};
  if (argc > 1) distribution.mesh = argv[1];
  const std::string stage = argc > 2 ? argv[2] : "3";
  if (argc > 3 || stage.size() != 1 || stage < "0" || stage > "3")
    throw UsageError("usage: mesh_trainer [MESH [STAGE]], such as dp2,tp2 of 4 ranks, and stages 0 to 3");
  distribution.stage = stage[0] - '0';
  std::fputs(table_of(mesh_of_run(kRanks, distribution)).c_str(), stdout);
  const Dataset data = make_synthetic({.max_tokens = kMaxTokens});
  run_world({.ranks = kRanks}, [&](World& world) { train(world, data, distribution); });
} catch (const Error& error) {
  std::fprintf(stderr, "mesh_trainer: %s\n", error.what());
  return int(error.code());
}
