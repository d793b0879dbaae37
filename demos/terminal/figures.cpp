#include "figures.h"

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/svg.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/suggest.h"
#include "trace_format.h"

namespace ringside {
namespace {

std::vector<std::string> figure_ids(const Lesson& lesson) {
  std::vector<std::string> ids;
  for (const FigureSpec& spec : lesson.figures) ids.push_back(spec.id);
  return ids;
}

const FigureSpec& figure_of(const Lesson& lesson, const std::string& id) {
  for (const FigureSpec& spec : lesson.figures)
    if (spec.id == id) return spec;
  if (lesson.figures.empty())
    throw UsageError("--figure " + as_typed(id) + ": lesson '" + lesson.id + "' has no figures");
  const std::vector<std::string> ids = figure_ids(lesson);
  throw UsageError("lesson '" + lesson.id + "': " + no_such("figure", id, ids));
}

}  // namespace

void check_figures(const Lesson& lesson, const FigureOptions& options) {
  for (const std::string& id : options.ids) figure_of(lesson, id);
  if (!options.at.empty()) check_instant(options.at);
  if (options.file.empty()) return;
  if (lesson.figures.empty())
    throw UsageError("--save " + typed_path(options.file) + ": lesson '" + lesson.id + "' has no figures");
  check_writable(options.file);
}

std::vector<const FigureSpec*> chosen_figures(const Lesson& lesson, const FigureOptions& options) {
  std::vector<const FigureSpec*> chosen;
  for (const std::string& id : options.ids) chosen.push_back(&figure_of(lesson, id));
  if (chosen.empty())
    for (const FigureSpec& spec : lesson.figures) chosen.push_back(&spec);
  return chosen;
}

FigureInput figure_input(const Config& config, const FigureSpec& spec, const Trace& trace,
                         const FigureOptions& options) {
  return options.at.empty() ? default_input(config, spec, trace)
                            : parse_instant(options.at, config, trace, spec.of_last_step);
}

std::string figure_text(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input, int width,
                        bool colour) {
  const figure::Value value = figure::compute(lesson, spec, input);
  const std::string sentence = figure::sentence(lesson, spec, input);
  const auto wide = size_t(width);
  std::string text = figure::bold(wrap(spec.title, wide, 0), colour) + '\n';
  if (sentence != spec.title) text += wrap(sentence, wide, 0) + '\n';
  return text + figure::to_text(value, width, colour);
}

std::string figures_text(const Lesson& lesson, const Config& config, const Trace& trace,
                         const FigureOptions& options, int width, bool colour) {
  std::string text;
  for (const FigureSpec* spec : chosen_figures(lesson, options))
    text += (text.empty() ? "" : "\n") +
            figure_text(lesson, *spec, figure_input(config, *spec, trace, options), width, colour);
  if (text.empty()) text = "The lesson has no figures.\n";
  return text;
}

void save_figure(const Lesson& lesson, const Config& config, const Trace& trace,
                 const FigureOptions& options) {
  if (options.file.empty()) return;
  const FigureSpec& spec = *chosen_figures(lesson, options).front();
  const FigureInput input = figure_input(config, spec, trace, options);
  const std::string svg =
      figure::to_svg(spec.title, figure::sentence(lesson, spec, input), figure::compute(lesson, spec, input));
  write_file_atomically(options.file, [&](std::ostream& out) { out << svg; });
}

}  // namespace ringside
