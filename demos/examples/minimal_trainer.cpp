// The smallest training of a classifier: World, Model, Strategy, loop.
//   minimal_trainer [STAGE]                                      four ranks, threads of this process
//   minimal_trainer --processes 4, mpirun -n 4 minimal_trainer   four processes: the same bits
#include <charconv>
#include <cstdio>
#include <string_view>

#include "ringside/base/error.h"
#include "ringside/base/prepare_process.h"
#include "ringside/base/sha256.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/classifier.h"
#include "ringside/processes/join.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"
#include "ringside/zero/make_strategy.h"

using namespace ringside;

constexpr int64_t kSteps = 40, kBatch = 16, kMaxTokens = 32;  // kBatch: sequences of a step, over all ranks

static void train(World& world, const Dataset& data, const Distribution& distribution) {
  use_one_thread();
  ProcessGroup& group = world.group("dp");
  // The World keeps what other ranks may still read when an error has ended this one.
  auto& model = world.make<Classifier>(ClassifierConfig{.hidden = 64, .layers = 2}, kMaxTokens);
  auto& optimizer = world.make<Optimizer>(make_optimizer({.name = "adamw"}));
  Strategy& strategy = *world.make<std::unique_ptr<Strategy>>(
      zero::make_strategy({model.parameters(), group, optimizer, distribution, world.recorder()}));
  const auto& shapes = model.parameters().shapes;
  strategy.load([&](size_t p, const at::Tensor& out) { initialize(out, shapes[p], /*seed=*/0); });
  model.buffers().load(group);  // what a batch norm would keep

  Sampler sampler(int64_t(data.train.size()), kBatch, /*accumulate=*/1, /*seed=*/0);
  for (int64_t step = 0; step < kSteps; ++step) {
    strategy.begin_step(step);
    strategy.begin_micro_batch(/*last_of_step=*/true);
    const Batch batch = make_batch(data.train, sampler.indices(step, 0, group.rank(), group.size()));
    const at::Tensor loss = weighted_loss(model.forward(batch, {.hooks = &strategy}).logits, batch);
    run_backward(loss);
    strategy.end_micro_batch();
    strategy.step({.learning_rate = 1e-3, .step = step + 1, .samples = kBatch});
    double sum = loss.item<double>();
    group.all_reduce({&sum, 1, Dtype::kFloat64}, {"loss", ""})->wait();
    if (step % 10 == 9 && group.rank() == 0) std::printf("step %d  loss %.9f\n", int(step + 1), sum / kBatch);
  }
  Sha256 hash;  // of all parameters, which visit_parameters brings together where each rank has a shard
  strategy.visit_parameters([&](size_t, const at::Tensor& t) { hash.update(t.data_ptr(), t.nbytes()); });
  if (group.rank() == 0) std::printf("parameters %s\n", hash.hex().c_str());
}

int main(int argc, char** argv) try {
  const auto process = join_by_words(argc, argv);  // null: ranks are threads
  prepare_process();
  Distribution distribution{.stage = 3, .precision = Precision::kFloat32};  // its other fields have defaults
  const std::string_view word = argc > 1 ? argv[1] : "3";
  const auto [end, error] = std::from_chars(word.begin(), word.end(), distribution.stage);
  if (argc > 2 || end != word.end() || word.empty())
    throw UsageError("usage: minimal_trainer [STAGE], 0 to 3");
  const Dataset data = make_synthetic({.max_tokens = kMaxTokens});
  run_world({.ranks = process ? process->size() : 4, .hooks = {.process = process}},
            [&](World& world) { train(world, data, distribution); });
} catch (const Error& error) {
  std::fprintf(stderr, "minimal_trainer: %s\n", error.what());
  return int(error.code());
}
