// `ringside train --print-config`: a TOML file with every setting, explained.
#include <ostream>

#include "commands.h"
#include "train_settings.h"

namespace ringside {

ExitCode print_train_config(const Options& options, std::ostream& out) {
  std::vector<Setting> settings;
  for (const std::string& word : options.train.words) settings.push_back(setting_of_word(word));
  out << "# ringside train FILE.toml [name=value ...]\n\n" << toml_of(train_config(settings), true);
  return ExitCode::kOk;
}

}  // namespace ringside
