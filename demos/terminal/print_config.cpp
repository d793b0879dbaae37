// `ringside train --print-config`: a TOML file with every setting, explained. And what is wrong with words,
// said before LibTorch is loaded.
#include <ostream>

#include "commands.h"
#include "train_settings.h"

namespace ringside {

ExitCode print_train_config(const Options& options, std::ostream& out) {
  check_train_words(options);
  std::vector<TrainSetting> settings;
  for (const std::string& word : options.train.words) settings.push_back(setting_of_word(word));
  out << "# ringside train FILE.toml [name=value ...]\n\n" << toml_of(train_config(settings), true);
  return ExitCode::kOk;
}

void check_train_words(const Options& options) {
  std::vector<TrainSetting> settings;
  for (const std::string& word : options.train.words) {
    if (is_toml_file(word)) return;  // its optimizer decides which settings there are
    settings.push_back(setting_of_word(word));
  }
  const Config config = train_config(settings);
  if (config.text("data").empty() && !options.train.print_config)
    throw UsageError(
        "data= is missing: name what is learned, as data=reviews.csv; or data=synthetic for a try");
}

}  // namespace ringside
