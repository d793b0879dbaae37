// The ZeRO lesson: four stages side by side on one scenario, and what they are tried for.
#include "lesson.h"
#include "ringside/lesson/lesson.h"
#include "scenario.h"

namespace ringside::lessons::zero {

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = zero_lesson::parameter_specs();
  lesson.predictions = zero_lesson::predictions();
  lesson.opening = zero_lesson::opening;
  lesson.claims = zero_lesson::claims();
  lesson.figures = zero_lesson::figures();
  lesson.gauges = zero_lesson::gauges();
  for (FigureSpec& one : zero_lesson::bit_figures()) lesson.figures.push_back(std::move(one));
  lesson.run = zero_lesson::run;
  lesson.summary = zero_lesson::summarize;
  lesson.step_timer = zero_lesson::step_timer;
  lesson.failed_check = zero_lesson::failed_check;
  return lesson;
}

}  // namespace ringside::lessons::zero
