// The words behind `ringside run` that choose figures.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

struct FigureOptions {
  bool all = false;              // behind the summary
  std::vector<std::string> ids;  // instead of the summary
  std::string at;                // SECTION:STEP:PHASE, "": each figure's own instant
  std::string file;              // an SVG of the first one chosen, "" for none
};

// Adds the options to the command `run`; throws UsageError for what does not go together.
void add_figure_options(CLI::App& command, FigureOptions& options);
void finish_figure_options(const FigureOptions& options, bool json);

}  // namespace ringside
