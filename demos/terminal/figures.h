// A run's figures, as the command line asks for them.
#pragma once

#include <string>
#include <vector>

#include "figure_options.h"
#include "ringside/lesson/lesson.h"

namespace ringside {

// What can be known before a run: UsageError for a figure that the lesson has not, and for an instant that no
// trace can have; InputError where --save cannot be written.
void check_figures(const Lesson& lesson, const FigureOptions& options);

// Those named by --figure, or else all.
std::vector<const FigureSpec*> chosen_figures(const Lesson& lesson, const FigureOptions& options);
// UsageError where the run has not what --at names.
FigureInput figure_input(const Config& config, const FigureSpec& spec, const Trace& trace,
                         const FigureOptions& options);

// Title, sentence and figure.
std::string figure_text(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input, int width,
                        bool colour);
// Each chosen one, a blank line between them.
std::string figures_text(const Lesson& lesson, const Config& config, const Trace& trace,
                         const FigureOptions& options, int width, bool colour);
void save_figure(const Lesson& lesson, const Config& config, const Trace& trace,
                 const FigureOptions& options);

}  // namespace ringside
