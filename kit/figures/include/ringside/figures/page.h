// The page that a finished run prints, the same for every lesson: the result in one sentence, its picture,
// what was measured, the answer in short, the claims, the ledger, and what to try next. It fits on 60 lines
// of 80 columns.
#pragma once

#include <set>
#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

inline constexpr size_t kPageLines = 60;

struct PageOptions {
  int width = 80;
  bool colour = false;
  bool all = false;                  // all claims with all of their evidence: more than kPageLines
  bool with_picture = true;          // or without the first figure, where all of them follow
  std::set<std::string> answered{};  // questions of which the answer is shown; the others are counted
};
std::string page_text(const Lesson& lesson, const Config& config, const Trace& trace,
                      const PageOptions& options);

// A figure of a lesson as the page has it, at the end of that section ("": the figure's own): its sentence on
// the first line, then its title and the figure. For a lesson's `summary` that shows another one than the
// first.
std::string picture_text(const Lesson& lesson, const std::string& figure, const std::string& section,
                         const Config& config, const Trace& trace, int width, bool colour);

// The figure that stands beside a question and is known before the run; null where there is none.
const FigureSpec* figure_beside(const Lesson& lesson, const PredictionSpec& question);
// Whether only its picture says what is asked: the options are marks on a figure of the run.
bool needs_picture(const Lesson& lesson, const PredictionSpec& question, const Config& config);

}  // namespace ringside::inline kit
