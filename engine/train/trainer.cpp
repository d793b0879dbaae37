#include "ringside/train/trainer.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "flight_log.h"
#include "rank_trainer.h"
#include "ringside/base/check.h"
#include "ringside/base/threads.h"
#include "ringside/base/units.h"
#include "ringside/comm/deadlines.h"
#include "ringside/comm/launch.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "run_groups.h"

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

// Where ranks do not agree before each step, the watcher is asked here, before there are any.
bool may_begin(const TrainerConfig& config, RunControl* control) {
  return config.agree_on_steps || control == nullptr || control->may_proceed();
}

// Where ranks do not agree before each step, a watcher's word reaches them by breaking the groups off.
class CancelWatch {
 public:
  CancelWatch(const TrainerConfig& config, RunControl* control, RunGroups& groups) {
    if (config.agree_on_steps || control == nullptr) return;
    thread_ = std::jthread([this, ranks = config.ranks, control, &groups](const std::stop_token& stop) {
      set_thread_name("cancel");
      while (!stop.stop_requested() && !control->cancelled()) std::this_thread::sleep_for(kLook);
      if (!control->cancelled()) return;
      cancelled_ = true;
      for (int rank = 0; rank < ranks; ++rank) groups.break_off(rank, "cancelled");
    });
  }
  bool cancelled() const { return cancelled_; }

 private:
  static constexpr std::chrono::milliseconds kLook{20};
  std::atomic<bool> cancelled_{false};
  std::jthread thread_;
};

// What the ranks throw that is no failure of theirs towards the others: a killed rank's function just
// returns, and a diverged run ends on all of them alike.
class QuietEnds {
 public:
  void run(int rank, const std::function<void(int)>& run_rank, const TrainerHooks& hooks) {
    std::exception_ptr error;
    bool quiet = false;
    use_one_thread();
    try {
      run_rank(rank);
    } catch (const RankKilled&) {
      error = std::current_exception();
      quiet = true;
    } catch (const DivergedError&) {
      error = std::current_exception();
      quiet = true;
      keep(error);
    } catch (...) {
      error = std::current_exception();
    }
    if (hooks.on_rank_end) hooks.on_rank_end(rank, error);
    if (error && !quiet) std::rethrow_exception(error);
  }
  void rethrow() const {
    if (diverged_) std::rethrow_exception(diverged_);
  }

 private:
  void keep(const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    if (!diverged_) diverged_ = error;
  }
  std::mutex mutex_;
  std::exception_ptr diverged_;
};

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
  FlightLog flights(hooks, config.ranks);
  RunGroups groups(config, recorders, flights.recorders(), hooks);
  const bool begin = may_begin(config, hooks.control);
  std::vector<TrainResult> results(static_cast<size_t>(config.ranks));
  const auto run_rank = [&](int rank) {
    const auto index = static_cast<size_t>(rank);
    const MemoryHook memory(recorders[index]);  // outlives every tensor of this rank
    // Outlives the try: groups are broken off before its buffers go, so that no peer reads them later.
    std::optional<RankTrainer> trainer;
    try {
      trainer.emplace(config, dataset, groups.of(rank), *recorders[index], hooks);
      results[index] = trainer->run(begin);
    } catch (const DivergedError&) {
      throw;  // every rank throws it, at the same place: nobody is waited for, and nobody is to blame
    } catch (const RankKilled& killed) {
      flights.leaves_no_dump(rank);
      if (!killed.silent()) groups.break_off(rank, killed.what());
      throw;
    } catch (const std::exception& error) {
      groups.break_off(rank, error.what());
      throw;
    } catch (...) {
      groups.break_off(rank, "an exception that is no std::exception");
      throw;
    }
  };
  {
    QuietEnds ends;
    const CancelWatch watch(config, begin ? hooks.control : nullptr, groups);
    try {
      run_ranks(
          config.ranks, [&](int rank) { ends.run(rank, run_rank, hooks); },
          [&](int rank, const std::string& reason) { groups.break_off(rank, reason); });
    } catch (const CollectiveError& error) {
      if (watch.cancelled()) throw CancelledError();
      const std::string report = flights.report();
      store.set_attributes(section, {{kFlightReport, report}, {kBroke, true}});
      FlightLog::rethrow_with(report, error);
    }
    ends.rethrow();
  }

  TrainResult& result = results[0];
  result.ranks_agree = true;
  for (const TrainResult& other : results) {
    result.ranks_agree = result.ranks_agree && other.parameters_sha256 == result.parameters_sha256;
  }
  store.set_attributes(section, {{kStepsDone, result.steps}});
  return std::move(result);
}

ZeroRunSetup planned_run(const TrainerConfig& config, const Dataset& dataset,
                         const Interruption& interruption, bool observed) {
  const bool whole = !interruption.cancelled_after;
  ZeroRunSetup setup;
  static_cast<Distribution&>(setup) = config;
  setup.shapes = classifier_shapes(config.model);
  setup.ranks = config.ranks;
  setup.optimizer_slots = make_optimizer(config.optimizer)->slots();
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
