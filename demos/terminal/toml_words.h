// A TOML file as settings. The one place that sees a TOML library; in a build without, no_toml_words.cpp
// says what to install.
#pragma once

#include <filesystem>
#include <vector>

#include "train_settings.h"

namespace ringside {

// In the order of the file, each with its place, "reviews.toml:12". InputError for a file of more than 1 MiB,
// what is no TOML, and what is no text, number, true or false; MissingError in a build without toml++.
std::vector<TrainSetting> read_toml(const std::filesystem::path& file);

}  // namespace ringside
