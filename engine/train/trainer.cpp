#include "ringside/train/trainer.h"

#include "rank_trainer.h"
#include "ringside/base/check.h"
#include "ringside/comm/launch.h"
#include "ringside/comm/thread_group.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

void require(bool allowed, const std::string& message) {
  if (!allowed) throw UsageError(message);
}

void check_config(const TrainerConfig& config, const Dataset& dataset) {
  require(config.ranks >= 1, "ranks must be at least 1");
  require(config.batch >= 1 && config.accumulate >= 1 && config.steps >= 1,
          "batch, accumulate and steps must be at least 1");
  require(config.bucket_elements >= 1, "bucket must be at least 1 element");
  require(static_cast<int64_t>(dataset.classes.size()) == config.model.classes,
          "the data has " + std::to_string(dataset.classes.size()) + " classes, the model " +
              std::to_string(config.model.classes));
  if (dataset.train.empty()) throw InputError("the data has no training sample");
  if (config.precision == Precision::kBFloat16) require_bfloat16();
}

Attributes describe(const TrainerConfig& config) {
  const auto shapes = classifier_shapes(config.model);
  return {{"stage", std::to_string(config.stage)},
          {"ranks", std::to_string(config.ranks)},
          {"parameters", std::to_string(count_trainable(shapes))},
          {"parameter tensors", std::to_string(shapes.size())},
          {"units", std::to_string(config.model.units())},
          {"frozen", std::to_string(count_parameters(shapes) - count_trainable(shapes))},
          {"precision", config.precision == Precision::kBFloat16 ? "bf16" : "fp32"},
          {"reduce", config.reduce == ReduceMode::kAllReduce ? "all_reduce" : "reduce_scatter"},
          {"bucket", std::to_string(config.bucket_elements)},
          {"accumulate", std::to_string(config.accumulate)},
          {"overlap", config.overlap ? "on" : "off"},
          {"prefetch", config.prefetch ? "on" : "off"},
          {"reshard", config.reshard ? "on" : "off"},
          {"link", config.link.name}};
}

}  // namespace

TrainResult train(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                  const std::string& section, const TrainerHooks& hooks) {
  keep_freed_memory();
  check_config(config, dataset);
  ThreadGroupOptions options;
  options.timeout = config.timeout;
  options.check = config.check;
  options.link = config.link;
  options.recorders = store.add_section(section, describe(config), config.ranks);
  auto groups = make_thread_group(config.ranks, options);
  if (hooks.wrap_group) {
    for (auto& group : groups) group = hooks.wrap_group(std::move(group));
  }

  std::vector<TrainResult> results(static_cast<size_t>(config.ranks));
  run_ranks(
      config.ranks,
      [&](int rank) {
        use_one_thread();
        const auto index = static_cast<size_t>(rank);
        Recorder& recorder = *options.recorders[index];
        MemoryHook memory(&recorder);  // outlives every tensor of this rank
        RankTrainer trainer(config, dataset, *groups[index], recorder, hooks);
        try {
          results[index] = trainer.run();
        } catch (const std::exception& error) {
          groups[index]->abort(
              error.what());  // before the trainer's buffers go, so that no peer reads them later
          throw;
        }
      },
      [&](int rank, const std::string& reason) { groups[static_cast<size_t>(rank)]->abort(reason); });

  TrainResult& result = results[0];
  result.ranks_agree = true;
  for (const TrainResult& other : results) {
    result.ranks_agree = result.ranks_agree && other.parameters_sha256 == result.parameters_sha256;
  }
  store.set_attributes(section, {{"steps", std::to_string(result.steps)}});
  return std::move(result);
}

ZeroRunSetup planned_run(const TrainerConfig& config, const TrainResult& result) {
  ZeroRunSetup setup;
  setup.shapes = classifier_shapes(config.model);
  setup.ranks = config.ranks;
  setup.stage = config.stage;
  setup.precision = config.precision;
  setup.reduce = config.reduce;
  setup.naive = config.naive;
  setup.bucket_elements = config.bucket_elements;
  setup.accumulate = config.accumulate;
  setup.clip = config.clip_norm > 0;
  setup.optimizer_slots = make_optimizer(config.optimizer)->slots();
  setup.steps = result.steps;
  setup.control_decisions = result.control_decisions;
  setup.evaluation_batches = result.evaluation_batches;
  setup.evaluations = result.evaluations;
  setup.exports = result.exports;
  setup.reshard = config.reshard;
  return setup;
}

}  // namespace ringside
