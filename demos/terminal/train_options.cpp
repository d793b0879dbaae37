#include "train_options.h"

#include "option_checks.h"
#include "train_settings.h"

namespace ringside {
namespace {

void add_folder(CLI::App& command, TrainOptions& options) {
  add_value(command, "folder", options.folder, "What a training left: its output", "FOLDER", is_name())
      ->required();
}

}  // namespace

void add_train_options(CLI::App& command, TrainOptions& options) {
  add_value(command, "settings", options.words,
            "FILE.toml, and name=value for what is to be otherwise; or these alone", "");
  command.add_flag("--print-config", options.print_config, "A file with all settings, explained");
  // Of the usual optimizer; another one's are said as name=value.
  for (const SettingSection& section : train_sections())
    for (const ParameterSpec& spec : section.settings) {
      const auto keep = [&options, name = spec.name](const std::string& value) {
        options.words.push_back(name + "=" + value);
      };
      command.add_option_function<std::string>("--" + spec.name, keep, spec.meaning)
          ->type_name("VALUE")
          ->group("[" + section.name + "]");
    }
}

void add_evaluate_options(CLI::App& command, TrainOptions& options) {
  add_folder(command, options);
  add_value(command, "data", options.data, "Other data than the run held out: a folder or a file", "DATA",
            is_name());
}

void add_predict_options(CLI::App& command, TrainOptions& options) {
  add_folder(command, options);
  add_value(command, "--deadline", options.deadline_s,
            "Seconds to wait for the next line, 0.1 to 86400; without it, as long as it takes", "S",
            number_in(0.1, 86400));
}

}  // namespace ringside
