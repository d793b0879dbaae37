#include "step_timer.h"

#include "ringside/base/error.h"
#include "ringside/train/in_turns.h"
#include "scenario.h"

namespace ringside::nccl_lesson {
namespace {

TrainerConfig endless(const Config& config) {
  Training training = base_training(config);
  training.steps = kEndlessSteps;
  training.evaluate_every = -1;
  training.timeout = std::chrono::seconds(60);  // nothing hangs here
  return assembled(training);
}

struct Timed {
  explicit Timed(const Config& config) : dataset(load_data(config)) {}
  const Dataset dataset;
  const std::shared_ptr<TraceStore> store = TraceStore::create("bench step");
  std::optional<SteppedTraining> training;
};

}  // namespace

StepTimer step_timer(const Config& config) {
  if (config.text("faults") != "none")
    throw UsageError("faults=" + config.text("faults") + ": a step is timed without a fault; leave it out");
  const auto timed = std::make_shared<Timed>(config);
  timed->training.emplace(endless(config), timed->dataset, *timed->store, "base");
  return {"a step of the training that the acts have in common", [timed] { return timed->training->step(); }};
}

}  // namespace ringside::nccl_lesson
