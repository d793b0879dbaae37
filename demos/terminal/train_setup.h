// From the settings of `ringside train` to a training.
#pragma once

#include <memory>
#include <string>

#include "ringside/lesson/config.h"
#include "ringside/pretrained/pretrained.h"
#include "ringside/train/trainer.h"
#include "run_folder.h"

namespace ringside {

struct TrainSetup {
  std::string tokenizer;  // train_data.h
  Dataset data;
  TrainerConfig trainer;
  int64_t epoch = 1;                               // steps
  std::shared_ptr<const PretrainedModel> start{};  // whose values it begins with; null: they are drawn
  PretrainedConfig kept;                           // of the model that is written
};
// UsageError for settings that do not go together; `trace`: its calls are recorded too.
TrainSetup set_up(const Config& config, const RunFolder& folder, bool trace);

// The classifier of a run that has ended, for data with these classes.
ClassifierConfig model_of(const Config& config, int64_t classes, int64_t vocabulary);

}  // namespace ringside
