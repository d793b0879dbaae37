#include "train_words.h"

#include <algorithm>
#include <filesystem>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "run_folder.h"
#include "toml_words.h"
#include "train_settings.h"

namespace ringside {
namespace {

std::vector<TrainSetting> settings_of(const std::vector<std::string>& words) {
  std::vector<TrainSetting> settings, file;
  for (const std::string& word : words) {
    if (!is_toml_file(word)) {
      settings.push_back(setting_of_word(word));
    } else if (file.empty()) {
      file = read_toml(word);
    } else {
      throw UsageError(typed_path(word) + ": one .toml file is enough; the rest as name=value");
    }
  }
  file.insert(file.end(), settings.begin(), settings.end());
  return file;
}

Config where_it_lies(const Config& config, const std::vector<std::string>& words) {
  const auto file = std::ranges::find_if(words, is_toml_file);
  const bool is_named = std::ranges::any_of(words, [](const std::string& word) {
    return word.starts_with("output=") || word.starts_with("output.output=");
  });
  if (!config.is_on("resume") || is_named || file == words.end()) return config;
  const auto folder = folder_of_config(*file);
  return folder ? config.with({"output=" + folder->string()}) : config;
}

}  // namespace

Config config_of_words(const std::vector<std::string>& words) {
  return where_it_lies(train_config(settings_of(words)), words);
}

Config as_run(const Config& config, const std::string& tokenizer, const TrainerConfig& trainer) {
  std::vector<TrainSetting> settings;
  const auto absolute = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  for (const SettingSection& section : train_sections(config.text("optimizer")))
    for (const ParameterSpec& spec : section.settings) {
      std::string value = config.text(spec.name);
      const bool is_path =
          spec.name == "data" || spec.name == "test" || spec.name == "pretrained" || spec.name == "output";
      if (is_path && !value.empty() && value != "synthetic") value = absolute(value);
      if (spec.name == "tokenizer") value = tokenizer;
      if (spec.name == "ranks") value = std::to_string(trainer.ranks);
      if (spec.name == "batch") value = std::to_string(trainer.batch);  // fewer, of few texts
      if (spec.name == "resume") value = "off";
      settings.push_back({spec.name, value});
    }
  return train_config(settings);
}

}  // namespace ringside
