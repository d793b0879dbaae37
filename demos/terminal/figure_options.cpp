#include "figure_options.h"

#include "option_checks.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside {

void add_figure_options(CLI::App& command, FigureOptions& options) {
  command.add_flag("--figures", options.all, "All figures, behind the summary");
  add_value(command, "--figure", options.ids,
            "A figure of `ringside help LESSON`, instead of the summary; repeatable", "ID", is_name())
      ->expected(1)
      ->take_all();
  add_value(command, "--at", options.at, "The instant that figures show; STEP and PHASE may be left out",
            "SECTION:STEP:PHASE", is_name());
  add_value(command, "--save", options.file,
            "Write the figure as a picture, FILE.svg: of --figure, or the first", "FILE", is_name());
}

void finish_figure_options(const FigureOptions& options, bool json) {
  if (options.all && !options.ids.empty()) throw UsageError("--figures and --figure: choose one");
  if (options.ids.size() > 1 && !options.file.empty())
    throw UsageError("--save " + typed_path(options.file) + ": it is one figure's; name one --figure");
  if (!options.file.empty() && !options.file.ends_with(".svg"))
    throw UsageError("--save " + typed_path(options.file) + ": the name must end in .svg");
  const bool shown = options.all || !options.ids.empty() || !options.file.empty() || json;
  if (!options.at.empty() && !shown)
    throw UsageError("--at " + as_typed(options.at) +
                     ": no figure is shown; add --figures, --figure ID or --save FILE.svg");
}

}  // namespace ringside
