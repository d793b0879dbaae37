// What is known about where the text goes.
#pragma once

#include "options.h"

namespace ringside {

// Colour on stdout: only on a terminal that is not dumb, and only where neither
// --no-color nor a non-empty NO_COLOR (no-color.org) forbids it.
bool wants_color(const Options& options);

// A line that is drawn over itself: only where stderr is such a terminal.
bool can_redraw_stderr();

// --width, or the terminal's columns between 60 and 120, or 98: of tables. A page has 80 at most.
int summary_width(const Options& options);
int page_width(const Options& options);
int stderr_width();
int stdout_width();      // columns; 80 where it is no terminal
bool is_smart_stdout();  // a terminal that can be drawn on

}  // namespace ringside
