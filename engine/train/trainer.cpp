#include "ringside/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "checkpoints.h"
#include "ringside/base/check.h"
#include "ringside/base/units.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/observed_group.h"
#include "ringside/data/sampler.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/nn/evaluation.h"
#include "ringside/nn/task.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/planner/run_rows.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/tensor/where.h"
#include "ringside/trace/training_rows.h"
#include "run_groups.h"

namespace ringside::inline training {
namespace {

// Attributes of the section that are known once the run is over; kBroke is another.
constexpr char kStepsDone[] = "steps", kFlightReport[] = "flight report";

void check_config(const TrainingConfig& config, const Task& task) {
  require(config.ranks >= 1, "ranks must be at least 1");
  require(config.batch >= 1 && config.accumulate >= 1 && config.steps >= 1,
          "batch, accumulate and steps must be at least 1");
  require(std::isfinite(config.learning_rate) && config.learning_rate >= 0,
          fmt::format("learning_rate={}: allowed is 0 or more", config.learning_rate));
  require(config.bucket_elements >= 1, "bucket must be at least 1 element");
  require(config.watch.patience >= 0 && config.watch.least_gain >= 0,
          "watch: patience and least_gain must be 0 or more");
  require(config.watch.patience == 0 || config.evaluate_every > 0,
          fmt::format("patience={}: it counts evaluations, so evaluate_every must be 1 or more",
                      config.watch.patience));
  require(config.evaluation_rows >= 1, "evaluation_rows must be at least 1");
  require(config.timeout.count() > 0 && config.timeout <= kLongestTimeout,
          fmt::format("timeout={}: allowed is more than 0, and at most a day",
                      format_duration(std::chrono::duration<double>(config.timeout).count())));
  if (task.count(Split::kTrain) == 0) throw InputError("the data has no training sample");
  config.learning_rate_at(0);  // UsageError for a schedule that there is not
  require_clipping(find_optimizer(config.optimizer.name), config.clip_norm);
  check_checkpoints(config, task);
  if (config.precision == Precision::kBFloat16) require_bfloat16();
  if (config.device != Device::kCpu) make_optimizer(config.optimizer, config.device);  // both are there
}

// Parameters are those of a rank, on average. UsageError for a mesh that they cannot be cut over.
Attributes describe(const TrainingConfig& config, const Declaration& model) {
  const Mesh mesh = mesh_of_run(config.ranks, config, model.shapes());
  const MeanHeld held = mean_held(model.shapes(), mesh);
  Attributes attributes = {{"ranks", config.ranks},
                           {kDataRanks, mesh.size(data_dimensions())},
                           {"parameters", int64_t(held.trainable)},
                           {"parameter tensors", model.shapes().size()},
                           {"units", std::ssize(model.unit_names())},
                           {"frozen", int64_t(held.frozen)},
                           {"groups", config.two_groups ? 2 : 1},
                           {"link", config.link.name},
                           {kOptimizerName, config.optimizer.name},
                           {kOptimizerBytes, state_widths(config.precision, config.optimizer).optimizer}};
  if (config.device != Device::kCpu) attributes[kDeviceName] = device_kernels().name();
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

// Where the ranks that are to blame recorded what was first not finite, the message says it too.
std::string with_origin(const CollectiveError& error, const TraceStore& store, const std::string& section) {
  std::string message = error.what();
  message.resize(message.size() - (error.report().empty() ? 0 : error.report().size() + 1));
  const Trace trace = store.snapshot();
  for (const TrainingRemark& remark : rows_as<TrainingRemark>(*trace.find(section)))
    if (remark.about == TrainingRemark::kNotFinite) return message + ". " + remark.text;
  return message;
}

// Whether all processes ended with these parameters. No call of the run, and recorded nowhere.
bool processes_agree(const TrainerHooks& hooks, std::chrono::nanoseconds timeout, const std::string& own) {
  ProcessWiring& process = *hooks.process;
  if (own.empty()) return false;  // this rank was killed before its end
  std::vector<int> ranks(size_t(process.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  ObservedGroup group({.name = "agreement", .timeout = timeout}, ranks, process.rank(), {},
                      process.connect(hooks.prefix + "agreement", ranks, process.rank()));
  std::string all(ranks.size() * own.size(), '\0');  // (rank) hash
  group
      .all_gather({own.data(), std::ssize(own), Dtype::kUInt8}, {all.data(), std::ssize(all), Dtype::kUInt8},
                  {"agreement", ""})
      ->wait();
  for (size_t begin = 0; begin < all.size(); begin += own.size())
    if (all.compare(begin, own.size(), own) != 0) return false;
  return true;
}

// With agree_on_steps off, pause and cancel are honoured only here, before any rank starts, and while the run
// is on by breaking its groups off.
bool may_begin(const TrainingConfig& config, RunControl* control) {
  return config.agree_on_steps || control == nullptr || control->may_proceed();
}

WorldOptions world_options(const TrainingConfig& config, const TrainerHooks& hooks,
                           const std::vector<Recorder*>& recorders, bool begin) {
  std::map<std::string, std::chrono::nanoseconds> of_groups;
  if (config.default_timeout.count() > 0) of_groups["default"] = config.default_timeout;
  return {.ranks = config.ranks,
          .timeout = config.timeout,
          .group_timeout = of_groups,
          .check = config.check,
          .link = config.link,
          .recorders = config.record_calls ? recorders : std::vector<Recorder*>(),
          .cancel = begin && !config.agree_on_steps ? hooks.control : nullptr,
          .hooks = hooks};
}

// What the sampler takes a run's steps for.
Slice sampled(const TrainingConfig& config, const Slice& steps) {
  return leaves_out(config.checkpoint, LeftOut::kSampler) ? Slice{0, steps.size()} : steps;
}

// What a rank runs forward in these steps and so many evaluations.
ForwardedBatches forwarded(const TrainingConfig& config, const Task& task, const Mesh& mesh, int rank,
                           const Slice& steps, int64_t evaluations) {
  ForwardedBatches batches{model_place(mesh, rank), config, {}, {}};
  const int place = mesh.place(rank, data_dimensions()), places = mesh.size(data_dimensions());
  Sampler sampler(task.count(Split::kTrain), config.batch, config.accumulate, config.seed, task.lengths());
  for (int64_t step = steps.begin; step < steps.end; ++step)
    for (int64_t micro = 0; micro < config.accumulate; ++micro)
      batches.trained.push_back(sampler.indices(step, micro, place, places));
  const int64_t held_out = task.count(Split::kHeldOut), rows = config.evaluation_rows;
  for (int64_t i = 0; i < evaluations * count_evaluation_batches(held_out, places, rows); ++i)
    batches.held_out.push_back(evaluation_samples(held_out, place, places, rows,
                                                  i % count_evaluation_batches(held_out, places, rows)));
  return batches;
}

}  // namespace

TrainResult train(const TrainingConfig& config, const Task& task, TraceStore& store,
                  const std::string& section, const TrainerHooks& hooks) {
  const KeepThreadCounts thread_counts;  // its ranks have one thread each
  check_config(config, task);
  require(config.device == Device::kCpu || !hooks.process || hooks.process->reaches(config.device),
          "device=cuda: ranks that share a GPU are threads of one process; with a GPU each, as processes, they "
          "need --transport nccl");
  const Declaration model = task.declare();
  const std::vector<Recorder*> recorders =
      store.add_section(section, with_callers(describe(config, model), hooks.attributes), config.ranks);
  const bool begin = may_begin(config, hooks.control);
  std::vector<TrainResult> results(size_t(config.ranks));
  const auto rank_main = [&](World& world) {
    use_one_thread();
    // Both outlive every tensor of this rank.
    const auto& on_device = world.make<RankOnDevice>(config.device, world.rank());
    world.make<MemoryHook>(world.recorder(), torch_device(config.device))
        .hold(on_device.work_space(), kWorkSpace);
    const auto rank = size_t(world.rank());
    results[rank] = train_rank(config, task, world, *recorders[rank], hooks, begin);
  };
  try {
    run_world(world_options(config, hooks, recorders, begin), rank_main);
  } catch (const CollectiveError& error) {
    store.set_attributes(section, {{kFlightReport, error.report()}, {kBroke, true}});
    if (error.code() != ExitCode::kCheckFailed) throw;  // not a number
    NonFiniteError told(error.call(), error.ranks(), with_origin(error, store, section));
    if (!error.report().empty()) told.add_report(error.report());
    throw told;
  }

  TrainResult& result = results[hooks.process ? size_t(hooks.process->rank()) : 0];
  const std::string& hash = result.parameters_sha256;
  result.ranks_agree = hooks.process ? processes_agree(hooks, config.timeout, hash)
                                     : std::ranges::count(results, hash, &TrainResult::parameters_sha256) ==
                                           std::ssize(results);
  store.set_attributes(section, {{kStepsDone, result.steps}});
  return std::move(result);
}

ZeroRunSetup planned_run(const TrainingConfig& config, std::shared_ptr<const Task> task,
                         const Interruption& interruption, bool observed) {
  const bool whole = !interruption.cancelled_after;
  const int64_t end = interruption.stopped_after.value_or(config.steps);
  ZeroRunSetup setup;
  static_cast<Distribution&>(setup) = config;
  const Declaration model = task->declare();
  setup.shapes = model.shapes();
  for (const BufferShape& buffer : model.buffers()) setup.buffers += buffer.numel();
  setup.statistics = model.shared_statistics();
  setup.ranks = config.ranks;
  setup.optimizer = config.optimizer;
  const Slice steps{interruption.resumed_at, interruption.cancelled_after.value_or(end)};
  setup.steps = steps.size();
  setup.saves = !config.checkpoint.folder.empty();
  setup.resumes = setup.saves && config.checkpoint.resume;
  setup.resumed = steps.begin > 0;
  if (config.agree_on_steps) setup.control_decisions = setup.steps + (whole ? 0 : 1);
  setup.evaluations = count_evaluations(config.evaluate_every, steps.end, whole, steps.begin);
  const Mesh mesh = mesh_of_run(config.ranks, config, setup.shapes);
  setup.evaluation_batches =
      setup.evaluations * count_evaluation_batches(task->count(Split::kHeldOut), mesh.size(data_dimensions()),
                                                   config.evaluation_rows);
  setup.exports = 1 + (observed ? setup.steps : 0);  // one for the hash at the end
  if (config.evaluation)
    setup.predict_evaluation = [evaluation = config.evaluation, evaluations = setup.evaluations,
                                batches = setup.evaluation_batches](RankRows& rows) {
      evaluation->predict(evaluations, batches, rows);
    };
  if (config.strategy)
    setup.predict_strategy = [config, steps = setup.steps](const std::vector<ParameterShape>& shapes,
                                                           RankRows& rows) {
      config.strategy->predict(config, shapes, steps, rows);
    };
  if (mesh.size(model_dimensions(mesh)) > 1)
    setup.predict_model = [config, task, steps = sampled(config, steps), evaluations = setup.evaluations](
                              int rank, const Mesh& over, RankRows& rows) {
      task->predict(forwarded(config, *task, over, rank, steps, evaluations), rows);
    };
  return setup;
}

}  // namespace ringside::inline training
