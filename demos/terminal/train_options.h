// The command lines of `ringside train`, `evaluate` and `predict`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

struct TrainOptions {
  std::vector<std::string> words;  // train: FILE.toml, name=value, and what flags make of themselves
  bool print_config = false;
  std::string folder;     // evaluate, predict: of a run, or of a model of transformers'
  std::string data;       // evaluate: other data than the run's; "": what it held out
  double deadline_s = 0;  // predict: for the next line to come; 0: as long as it takes
};

void add_train_options(CLI::App& command, TrainOptions& options);
void add_evaluate_options(CLI::App& command, TrainOptions& options);
void add_predict_options(CLI::App& command, TrainOptions& options);

}  // namespace ringside
