#include "step_timer.h"

#include "attributes.h"
#include "ringside/train/in_turns.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

// The scenario's stages, each trained without an end.
class Stages {
 public:
  explicit Stages(const Config& config) : dataset_(load_data(config)) {
    TrainerConfig trainer = trainer_config(config, dataset_);
    trainer.steps = kEndlessSteps;
    trainer.evaluate_every = -1;
    std::vector<int> stages;
    for (int stage = 0; stage <= 3; ++stage)
      if (runs_fully(config, stage)) stages.push_back(stage);
    std::vector<int> with_the_other_side = stages;  // taken to be as large
    with_the_other_side.insert(with_the_other_side.end(), stages.begin(), stages.end());
    require_memory(config, trainer, with_the_other_side);
    for (const int stage : stages) {
      trainer.stage = stage;
      trainings_.push_back(std::make_unique<SteppedTraining>(trainer, dataset_, *store_, stage_name(stage)));
    }
  }

  double step_ms() {
    double ms = 0;
    for (const auto& training : trainings_) ms += training->step();
    return ms;
  }

 private:
  const Dataset dataset_;
  const std::shared_ptr<TraceStore> store_ = TraceStore::create("bench step");
  std::vector<std::unique_ptr<SteppedTraining>> trainings_;
};

}  // namespace

StepTimer step_timer(const Config& config) {
  const auto stages = std::make_shared<Stages>(config);
  const std::string& stage = config.text("stage");
  return {stage == "all" ? "a step of each stage, one after the other" : "a step of stage " + stage,
          [stages] { return stages->step_ms(); }};
}

}  // namespace ringside::zero_lesson
