// A step of the stage, or the stages, that a scenario trains: for `ringside bench step`.
#include "lesson.h"
#include "ringside/train/in_turns.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

struct Stages {  // each trained without an end
  Dataset dataset;
  std::shared_ptr<TraceStore> store = TraceStore::create("bench step");
  std::vector<std::unique_ptr<SteppedTraining>> trainings = {};
};

}  // namespace

StepTimer step_timer(const Config& config) {
  const auto all = std::make_shared<Stages>(load_data(config));
  TrainerConfig trainer = trainer_config(config, all->dataset);
  trainer.steps = kEndlessSteps;
  trainer.evaluate_every = -1;
  std::vector<int> stages;
  for (int stage = 0; stage < kStages; ++stage)
    if (runs_fully(config, stage)) stages.insert(stages.end(), 2, stage);
  require_memory(config, trainer, stages);  // twice: the other side is taken to be as large
  for (size_t i = 0; i < stages.size(); i += 2) {
    trainer.stage = stages[i];
    all->trainings.push_back(
        std::make_unique<SteppedTraining>(trainer, all->dataset, *all->store, stage_name(trainer.stage)));
  }
  const auto step_ms = [all] {
    double ms = 0;
    for (const auto& training : all->trainings) ms += training->step();
    return ms;
  };
  const std::string& stage = config.text("stage");
  return {stage == "all" ? "a step of each stage, one after the other" : "a step of stage " + stage, step_ms};
}

}  // namespace ringside::zero_lesson
