// What `ringside train` can be told: one declaration, from which the command line, the TOML file, the
// commented file of --print-config and every check follow. The optimizer chosen adds its own settings.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/config.h"

namespace ringside {

struct SettingSection {
  std::string name, meaning;  // of a TOML table
  std::vector<ParameterSpec> settings;
};
std::vector<SettingSection> train_sections(const std::string& optimizer = "adamw");

struct TrainSetting {
  std::string name;    // "batch", or with its section "training.batch"
  std::string value;   // true and false stand for on and off
  std::string from{};  // "reviews.toml:12"; "": the command line
};
bool is_toml_file(const std::string& word);
// "batch=16" as a TrainSetting; UsageError where it is no name=value.
TrainSetting setting_of_word(const std::string& word);

// The later of two that name the same wins, but in one place nothing may stand twice. UsageError, or for a
// file InputError with the place in front: an unknown name with the nearest one, a section that it is not
// in, a value that is not allowed with what is.
Config train_config(const std::vector<TrainSetting>& settings);

// The TOML file that says all of it. explained: each setting's meaning and what is allowed above it.
std::string toml_of(const Config& config, bool explained);

}  // namespace ringside
