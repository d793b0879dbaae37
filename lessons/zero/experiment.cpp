// The ZeRO lesson: four stages side by side on one scenario, and what they are tried for.
#include "embedded.h"
#include "lesson.h"
#include "scenario.h"

namespace ringside::lessons::zero {

Lesson make_lesson() {
  using namespace zero_lesson;
  std::vector<FigureOf> figures = sent_figures();
  for (const auto& more : {zero_lesson::figures(), bit_figures(), mesh_figures()})
    figures.insert(figures.end(), more.begin(), more.end());
  Lesson lesson = lesson_of(embedded("texts.inc"), {.parameters = parameters(),
                                                    .run = zero_lesson::run,
                                                    .as_processes = true,
                                                    .predictions = predictions(),
                                                    .questions = choice_questions(),
                                                    .claims = claims(),
                                                    .figures = std::move(figures),
                                                    .gauges = gauges(),
                                                    .readouts = readouts,
                                                    .opening = opening,
                                                    .summary = summarize,
                                                    .step_timer = step_timer,
                                                    .failed_check = failed_check});
  FigureSpec blocks = figure_of_holdings(
      state_width, stage_name(3), {"copies_stage_0", "state_stage_1", "state_stage_2", "state_stage_3"});
  blocks.section_of = [](const Config& config) {
    return config.is_default("stage") ? stage_name(3) : stage_name(timed_stage(config));
  };
  blocks.group = lesson.figures.front().group;
  lesson.figures.insert(lesson.figures.begin(), std::move(blocks));
  return lesson;
}

}  // namespace ringside::lessons::zero
