#include "ringside/train/trainer.h"

#include "rank_trainer.h"
#include "ringside/base/check.h"
#include "ringside/base/units.h"
#include "ringside/comm/deadlines.h"
#include "ringside/comm/errors.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"

namespace ringside {
namespace {

// Attributes of the section that are known once the run is over; kBroke is another.
constexpr char kStepsDone[] = "steps", kFlightReport[] = "flight report";

void require(bool allowed, const std::string& message) {
  if (!allowed) throw UsageError(message);
}

void check_config(const TrainerConfig& config, const Dataset& dataset) {
  require(config.ranks >= 1, "ranks must be at least 1");
  require(config.batch >= 1 && config.accumulate >= 1 && config.steps >= 1,
          "batch, accumulate and steps must be at least 1");
  require(config.bucket_elements >= 1, "bucket must be at least 1 element");
  require(config.evaluation_rows >= 1, "evaluation_rows must be at least 1");
  require(config.gather_chunk >= 1, "gather_chunk must be at least 1 element");
  require(config.timeout.count() > 0 && config.timeout <= kLongestTimeout,
          "timeout=" + format_duration(std::chrono::duration<double>(config.timeout).count()) +
              ": allowed is more than 0, and at most a day");
  require(config.mismatch_rank >= -1 && config.mismatch_rank < config.ranks,
          "mismatch_rank=" + std::to_string(config.mismatch_rank) + ": allowed are -1 (all) to " +
              std::to_string(config.ranks - 1));
  require(static_cast<int64_t>(dataset.classes.size()) == config.model.classes,
          "the data has " + std::to_string(dataset.classes.size()) + " classes, the model " +
              std::to_string(config.model.classes));
  if (dataset.train.empty()) throw InputError("the data has no training sample");
  if (config.precision == Precision::kBFloat16) require_bfloat16();
}

Attributes describe(const TrainerConfig& config) {
  const auto shapes = classifier_shapes(config.model);
  Attributes attributes = {{"ranks", config.ranks},
                           {"parameters", count_trainable(shapes)},
                           {"parameter tensors", shapes.size()},
                           {"units", config.model.units()},
                           {"frozen", count_parameters(shapes) - count_trainable(shapes)},
                           {"outputs", to_string(config.outputs)},
                           {"groups", config.two_groups ? 2 : 1},
                           {"link", config.link.name}};
  visit_fields(config, [&](const Field& field, const auto& value) { attributes[field.name] = value; });
  return attributes;
}

// The run's own and the caller's. One name for two things would lose one of them without a word.
Attributes with_callers(Attributes own, const Attributes& callers) {
  for (const auto& [name, value] : callers) {
    const bool taken = name == kStepsDone || name == kFlightReport || name == kBroke;
    RINGSIDE_CHECK(!taken && own.emplace(name, value).second,
                   "the section's attribute '" << name << "' is the trainer's own: take another name");
  }
  return own;
}

// With agree_on_steps off, pause and cancel are honoured only here, before any rank starts, and while the run
// is on by breaking its groups off.
bool may_begin(const TrainerConfig& config, RunControl* control) {
  return config.agree_on_steps || control == nullptr || control->may_proceed();
}

WorldOptions world_options(const TrainerConfig& config, const TrainerHooks& hooks,
                           const std::vector<Recorder*>& recorders, bool begin) {
  WorldOptions options;
  options.ranks = config.ranks;
  options.timeout = config.timeout;
  options.check = config.check;
  options.link = config.link;
  options.recorders = recorders;
  options.flights = hooks.flights;
  options.process = hooks.process;
  options.faults = hooks.faults;
  if (begin && !config.agree_on_steps) options.cancel = hooks.control;
  options.wrap_group = hooks.wrap_group;
  options.on_rank_end = hooks.on_rank_end;
  return options;
}

// What every rank contributes to each evaluation batch, if every one of them returns the same.
GatheredOutputs gathered_outputs(const TrainerConfig& config) {
  GatheredOutputs outputs;
  outputs.model = config.model;
  outputs.rows = config.evaluation_rows;
  outputs.tokens = config.max_tokens;
  outputs.logits = config.evaluation_gather != EvaluationGather::kCounts;
  const bool everything = returns_everything(config.outputs, /*wrapper_training=*/false,
                                             /*inner_training=*/config.wrapper_mismatch);
  outputs.hidden_states = everything && config.evaluation_gather == EvaluationGather::kOutputs;
  outputs.attentions = outputs.hidden_states && config.attentions;
  const bool compressed = config.gather_transfer == GatherTransfer::kCompressed;
  outputs.width = compressed || config.precision == Precision::kBFloat16 ? 2 : 4;
  return outputs;
}

}  // namespace

TrainResult train(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                  const std::string& section, const TrainerHooks& hooks) {
  keep_freed_memory();
  check_config(config, dataset);
  const std::vector<Recorder*> recorders =
      store.add_section(section, with_callers(describe(config), hooks.attributes), config.ranks);
  const bool begin = may_begin(config, hooks.control);
  std::vector<TrainResult> results(static_cast<size_t>(config.ranks));
  const auto rank_main = [&](World& world) {
    use_one_thread();
    world.make<MemoryHook>(world.recorder());  // outlives every tensor of this rank
    results[static_cast<size_t>(world.rank())] =
        world.make<RankTrainer>(config, dataset, world, hooks).run(begin);
  };
  try {
    run_world(world_options(config, hooks, recorders, begin), rank_main);
  } catch (const CollectiveError& error) {
    store.set_attributes(section, {{kFlightReport, error.report()}, {kBroke, true}});
    throw;
  }

  TrainResult& result = results[hooks.process ? static_cast<size_t>(hooks.process->rank()) : 0];
  result.ranks_agree = true;
  for (const TrainResult& other : results) {
    const bool elsewhere = hooks.process && &other != &result;
    result.ranks_agree =
        result.ranks_agree && (elsewhere || other.parameters_sha256 == result.parameters_sha256);
  }
  store.set_attributes(section, {{kStepsDone, result.steps}});
  return std::move(result);
}

ZeroRunSetup planned_run(const TrainerConfig& config, const Dataset& dataset,
                         const Interruption& interruption, bool observed) {
  const bool whole = !interruption.cancelled_after;
  ZeroRunSetup setup;
  static_cast<Distribution&>(setup) = config;
  const Declaration model = declare_classifier(config.model);
  setup.shapes = model.shapes();
  for (const BufferShape& buffer : model.buffers()) setup.buffers += buffer.numel();
  setup.ranks = config.ranks;
  setup.optimizer = config.optimizer;
  setup.steps = interruption.cancelled_after.value_or(config.steps);
  if (config.agree_on_steps) setup.control_decisions = setup.steps + interruption.pauses + (whole ? 0 : 1);
  setup.evaluations = count_evaluations(config.evaluate_every, setup.steps, whole);
  setup.evaluation_batches =
      setup.evaluations * count_evaluation_batches(static_cast<int64_t>(dataset.test.size()), config.ranks,
                                                   config.evaluation_rows);
  setup.exports = 1 + (observed ? setup.steps : 0);  // one for the hash at the end
  setup.gathered = gathered_outputs(config);
  return setup;
}

}  // namespace ringside
