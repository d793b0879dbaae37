// The words of `ringside train` as settings, and the settings of a run as its config.toml has them.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/config.h"
#include "ringside/train/trainer.h"

namespace ringside {

// Those of a .toml file and of name=value. A run goes on in the folder in which its config.toml lies now,
// unless `output` is among the words. Errors: of train_settings.h.
Config config_of_words(const std::vector<std::string>& words);

// As it was run: where things lie does not depend on the folder in which somebody reads it.
Config as_run(const Config& config, const std::string& tokenizer, const TrainerConfig& trainer);

}  // namespace ringside
